/** Defines the tables for records that the API names only by ID, such as branches: their names are in other records. */
import { apiOf } from '../../../api/contract/api.ts';
import type { MirroredResource } from './derive.ts';
import { systemTables } from './state.ts';
import { idColumn, type Table } from './table.ts';

/** Returns a table for each kind of reference that has names and that the service doesn't list. */
export function referenceTables([firstResource]: readonly MirroredResource[]): Table[] {
  if (!firstResource) return [];
  const api = apiOf(firstResource.resource);
  const unlisted = api.references.filter(({ name, isNamed }) => isNamed && !api.listOfReference(name)?.list);
  return unlisted.map(({ name, one }) => ({
    name,
    about: `Every ${one} that a record refers to`,
    columns: [
      { name: idColumn, type: 'text', about: 'Its ID' },
      { name: 'name', type: 'text', about: 'Its name; null until a response contains it', keeps: 'known' },
      {
        name: 'reference',
        type: 'text',
        about: "The business's own code, if responses contain it",
        keeps: 'known',
      },
      {
        name: 'first_seen',
        type: 'timestamptz',
        about: 'Start of the first sync that found it',
        keeps: 'first',
      },
      { name: 'last_seen', type: 'timestamptz', about: 'Start of the last sync that found it' },
    ],
  }));
}

/** Returns the tables with records of the account. */
export function recordTables(resources: readonly MirroredResource[]): Table[] {
  return [...resources.flatMap(({ tables }) => tables), ...referenceTables(resources)];
}

/** Returns all tables of a mirror: those with records, then the mirror's own. */
export function allTables(resources: readonly MirroredResource[]): Table[] {
  return [...recordTables(resources), ...systemTables];
}
