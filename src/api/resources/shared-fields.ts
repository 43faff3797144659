/** Fields that many resources have. Each resource lists the ones that it has. */
import { choice, text, timestamp } from '../contract/field.ts';

/** The ID of a record. API document: conventions, 2. */
export const id = text().describe('Record ID, assigned by the service');

/** The name of a record. Filters match part of it. */
export const name = text().matchesParts().describe('Name');

/** The name in the second language. API document: conventions, 6. */
export const nameLocalized = text()
  .matchesParts()
  .nullable()
  .localizes('name')
  .label('Name in the second language')
  .describe("Name in the business's second language, if it has one");

const createdAt = timestamp().describe('When the record was created');
const updatedAt = timestamp().describe('When the record or its links last changed');
const deletedAt = timestamp().nullable().describe('When the record was deleted; null while it is active');

/** When a record was created and last changed. API document: conventions, 3. */
export const createdAndUpdatedAt = { created_at: createdAt, updated_at: updatedAt };
const sortableCreatedAndUpdatedAt = { created_at: createdAt.sortable(), updated_at: updatedAt.sortable() };
/** When a record was created, last changed and deleted. */
export const timestamps = { ...createdAndUpdatedAt, deleted_at: deletedAt };
/** The same timestamps, for lists that can be sorted by them. */
export const sortableTimestamps = { ...sortableCreatedAndUpdatedAt, deleted_at: deletedAt };

/** The date filters of nearly every list, in the order of the API document. */
export const dateFilters = ['updated_after', 'is_deleted', 'created_on', 'updated_on', 'deleted_on'] as const;

/** The costing method of an inventory item or a modifier option. */
export const costingMethod = choice({ 'fixed cost': 1, 'from ingredients': 2 });
