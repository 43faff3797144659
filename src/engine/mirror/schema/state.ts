/**
 * Defines the tables in which a mirror keeps its own state: the progress of each resource, what it excludes, and
 * which account it belongs to.
 */
import type { DeletedFilter } from '../../../account/session/list.ts';
import type { StoredRow } from '../stores/store.ts';
import { historyTables } from './history-tables.ts';
import { type Cell, idColumn, type SqlType, type Table } from './table.ts';
import { changesTable } from './versions.ts';

/** The column that stores a field of `State`. */
interface StoredField<Value> {
  type: SqlType;
  about: string;
  /** The name of the column, if it isn't the name of the field in snake case. */
  column?: string;
  read(cell: Cell): Value;
}

const textOf = (cell: Cell): string | undefined => (cell === null ? undefined : String(cell));
const textField = (about: string) => ({ type: 'text', about, read: textOf }) satisfies StoredField<unknown>;
const timestampField = (about: string) =>
  ({ type: 'timestamptz', about, read: textOf }) satisfies StoredField<unknown>;

/** The state of each resource. Each field of a `State` is a column. */
const storedFields = {
  /** Undefined until the list was read completely. */
  since: timestampField("Changes before this time, by the service's clock, are in the mirror"),
  /** Identifies the columns that the stored rows have: those of the contract with the preset of the last sync. */
  columns: textField('Fingerprint of the columns of its tables at the last sync'),
  readingNumber: {
    type: 'bigint',
    column: 'walk',
    about: 'Number of the last complete reading of the list',
    read: (cell: Cell): number => Number(cell ?? 0),
  },
  /** For a reading that isn't complete: the last page that is stored, and when the reading began. */
  readingPage: {
    type: 'bigint',
    column: 'walk_page',
    about: 'Last stored page of an interrupted reading',
    read: (cell: Cell): number | undefined => (typeof cell === 'number' ? cell : undefined),
  },
  readingStartedAt: {
    ...timestampField("Start of that reading, by the service's clock"),
    column: 'walk_began',
  },
  deletedFilter: {
    type: 'text',
    about: 'What the filter is_deleted returns: include (active records too) or only',
    read: (cell: Cell): DeletedFilter | undefined =>
      cell === 'include' || cell === 'only' ? cell : undefined,
  },
  syncedAt: timestampField('Start of the last sync that completed'),
  fullAt: timestampField('Start of the last sync that read the whole list'),
  /** Undefined while no versions are kept. */
  versionsSince: timestampField('When its list was first complete: versions of its rows are kept since then'),
  lastError: textField('Why the last sync failed; null if it succeeded'),
} satisfies Record<string, StoredField<unknown>>;

type StoredFields = typeof storedFields;
type StateFieldName = keyof StoredFields;

/** The sync state of one resource, or of the history. */
export type State = { resource: string } & {
  [FieldName in StateFieldName]: ReturnType<StoredFields[FieldName]['read']>;
};

const fieldNames = Object.keys(storedFields) as StateFieldName[];

function columnOf(name: StateFieldName): string {
  const { column }: StoredField<unknown> = storedFields[name];
  return column ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The table with the sync state: one row for each resource. */
export const stateTable: Table = {
  name: 'mirror_state',
  about: 'Sync progress of each resource, written in the transaction of its rows',
  columns: [
    { name: idColumn, type: 'text', about: 'The resource' },
    ...fieldNames.map((name) => ({
      name: columnOf(name),
      type: storedFields[name].type,
      about: storedFields[name].about,
    })),
  ],
};

/** The table with metadata of the mirror by name, such as its account. */
export const metadataTable: Table = {
  name: 'mirror_facts',
  about: 'Metadata of the mirror',
  columns: [
    { name: 'id', type: 'text', about: 'Its name' },
    { name: 'value', type: 'text', about: 'Its value' },
  ],
};

/** The table with the IDs of records that must not be added again. */
export const forgottenTable: Table = {
  name: 'mirror_forgotten',
  about: 'Records that must not be added again',
  columns: [
    { name: 'id', type: 'text', about: 'The resource and the ID, separated by a slash' },
    { name: 'forgotten_at', type: 'timestamptz', about: 'When it was forgotten' },
  ],
};

/** The tables that every mirror has, independent of the contract. */
export const systemTables: readonly Table[] = [
  stateTable,
  metadataTable,
  forgottenTable,
  changesTable,
  ...historyTables,
];

/** Returns the state of a resource that has never been synced. */
export function newState(resource: string): State {
  return stateOf({ [idColumn]: resource });
}

/** Returns the state as a row, in the order of the table's columns. */
export function stateRow(state: State): Cell[] {
  return [state.resource, ...fieldNames.map((name) => state[name] ?? null)];
}

export function stateOf(row: StoredRow): State {
  const values = fieldNames.map((name) => [name, storedFields[name].read(row[columnOf(name)] ?? null)]);
  return { resource: String(row[idColumn]), ...Object.fromEntries(values) };
}
