/** Fields that many resources have in the same words; each resource still says which of them it has. */
import { choice, text, timestamp } from '../contract/field.ts';

/** Document: conventions, 2. */
export const id = text().about('Given by the service');

export const name = text().searched().about('The name');

/** Document: conventions, 6. */
export const nameLocalized = text()
  .searched()
  .nullable()
  .localizes('name')
  .label('Name in the second language')
  .about('The name in the business’s second language, where it uses one');

const createdAt = timestamp().about('When the record was made');
const updatedAt = timestamp().about('When the record or its links last changed');
const deletedAt = timestamp().nullable().about('When the record was deleted; null while it is active');

/** Document: conventions, 3. */
export const writtenAt = { created_at: createdAt, updated_at: updatedAt };
const sortableWrittenAt = { created_at: createdAt.sortable(), updated_at: updatedAt.sortable() };
export const timestamps = { ...writtenAt, deleted_at: deletedAt };
export const sortableTimestamps = { ...sortableWrittenAt, deleted_at: deletedAt };

/** The filters on dates that nearly every list takes, in the document's order. */
export const dateFilters = ['updated_after', 'is_deleted', 'created_on', 'updated_on', 'deleted_on'] as const;

/** How the cost of an inventory item or a modifier option is found. */
export const costingMethod = choice({ 'fixed cost': 1, 'from ingredients': 2 });
