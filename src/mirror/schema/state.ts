/** What a mirror keeps of itself: how far each resource has come, what is left out, and whose records it holds. */
import type { DeletedFilter } from '../../session/list.ts';
import type { StoredRow } from '../stores/store.ts';
import { historyTables } from './history-tables.ts';
import { type Cell, idColumn, type SqlType, type Table } from './table.ts';

/** Of tables that say the same otherwise than before, which no column more would tell of. 1: decimal numbers were texts. */
const formVersion = 2;

/** More columns than a contract will ever come to. */
const mostColumns = 10_000;

/**
 * The version of a mirror’s tables. It grows with each column that the contract gets, as none is ever dropped: a boh
 * that knows of fewer leaves the mirror alone.
 */
export function schemaVersion(resources: readonly { tables: readonly Table[] }[]): number {
  const columns = resources.flatMap(({ tables }) => tables.flatMap((table) => table.columns));
  const history = historyTables.flatMap((table) => table.columns);
  return formVersion * mostColumns + columns.length + history.length;
}

/** Whether a mirror of this version has tables that say the same otherwise than now: the next sync changes them. */
export function isOfEarlierForm(version: number): boolean {
  return version < formVersion * mostColumns;
}

interface Kept<Value> {
  type: SqlType;
  about: string;
  read(cell: Cell): Value;
}

const textOf = (cell: Cell): string | undefined => (cell === null ? undefined : String(cell));
const text = (about: string) => ({ type: 'text', about, read: textOf }) satisfies Kept<unknown>;
const moment = (about: string) => ({ type: 'timestamptz', about, read: textOf }) satisfies Kept<unknown>;

/** What is kept of each resource: fields of a `State`, which are columns by the same names in snake case. */
const kept = {
  /** Undefined until the list was read whole. */
  since: moment('What changed before this moment of the service is in the mirror'),
  walk: {
    type: 'bigint',
    about: 'The number of the last reading of the list',
    read: (cell: Cell): number => Number(cell ?? 0),
  },
  /** Of a reading of the whole list that isn’t done: the last page that is in the mirror, and when it began. */
  walkPage: {
    type: 'bigint',
    about: 'The last page of a reading that was cut off',
    read: (cell: Cell): number | undefined => (typeof cell === 'number' ? cell : undefined),
  },
  walkBegan: moment('When that reading began, by the service’s clock'),
  deletedFilter: {
    type: 'text',
    about: 'What is_deleted shows: include (active records as well) or only',
    read: (cell: Cell): DeletedFilter | undefined =>
      cell === 'include' || cell === 'only' ? cell : undefined,
  },
  syncedAt: moment('When the last sync that was done to its end began'),
  fullAt: moment('When the last one that read the whole list began'),
  lastError: text('Why the last sync failed; nothing where it did not'),
} satisfies Record<string, Kept<unknown>>;

type Kinds = typeof kept;
type Name = keyof Kinds;

export type State = { resource: string } & { [Each in Name]: ReturnType<Kinds[Each]['read']> };

const names = Object.keys(kept) as Name[];

function columnOf(name: Name): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export const stateTable: Table = {
  name: 'mirror_state',
  about: 'How far each resource has come; written with its rows, in one transaction',
  columns: [
    { name: idColumn, type: 'text', about: 'The resource' },
    ...names.map((name) => ({ name: columnOf(name), type: kept[name].type, about: kept[name].about })),
  ],
};

export const factsTable: Table = {
  name: 'mirror_facts',
  about: 'What the mirror is of',
  columns: [
    { name: 'id', type: 'text', about: 'Its name' },
    { name: 'value', type: 'text', about: 'Its value' },
  ],
};

export const forgottenTable: Table = {
  name: 'mirror_forgotten',
  about: 'Records that are not to be held again',
  columns: [
    { name: 'id', type: 'text', about: 'The resource and the id, with a slash between' },
    { name: 'forgotten_at', type: 'timestamptz', about: 'Since when' },
  ],
};

/** Made in every mirror, whatever its account is. */
export const ownTables: readonly Table[] = [stateTable, factsTable, forgottenTable, ...historyTables];

export function newState(resource: string): State {
  return stateOf({ [idColumn]: resource });
}

/** In the order of the table’s columns. */
export function stateRow(state: State): Cell[] {
  return [state.resource, ...names.map((name) => state[name] ?? null)];
}

export function stateOf(row: StoredRow): State {
  const read = names.map((name) => [name, kept[name].read(row[columnOf(name)] ?? null)]);
  return { resource: String(row[idColumn]), ...Object.fromEntries(read) };
}
