/** What a mirror keeps of itself: how far each resource has come, what is left out, and whose records it holds. */
import type { StoredRow } from '../stores/store.ts';
import type { Cell, Table } from './table.ts';

/** Of tables that say the same otherwise than before, which no column more would tell of. */
const formVersion = 1;

/** More columns than a contract will ever come to. */
const mostColumns = 10_000;

/**
 * The version of a mirror’s tables. It grows with each column that the contract gets, as none is ever dropped: a boh
 * that knows of fewer leaves the mirror alone.
 */
export function schemaVersion(resources: readonly { tables: readonly Table[] }[]): number {
  const columns = resources.flatMap(({ tables }) => tables.flatMap((table) => table.columns));
  return formVersion * mostColumns + columns.length;
}

export const stateTable: Table = {
  name: 'mirror_state',
  about: 'How far each resource has come; written with its rows, in one transaction',
  columns: [
    { name: 'id', type: 'text', about: 'The resource' },
    {
      name: 'since',
      type: 'timestamptz',
      about: 'What changed before this moment of the service is in the mirror',
    },
    { name: 'walk', type: 'bigint', about: 'The number of the last reading of the list' },
    { name: 'walk_page', type: 'bigint', about: 'The last page of a reading that was cut off' },
    { name: 'walk_began', type: 'timestamptz', about: 'When that reading began, by the service’s clock' },
    {
      name: 'deleted_filter',
      type: 'text',
      about: 'What is_deleted shows: include (active records as well) or only',
    },
    { name: 'synced_at', type: 'timestamptz', about: 'When the last sync that was done to its end began' },
    { name: 'full_at', type: 'timestamptz', about: 'When the last one that read the whole list began' },
    { name: 'last_error', type: 'text', about: 'Why the last sync failed; nothing where it did not' },
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

export const ownTables: readonly Table[] = [stateTable, factsTable, forgottenTable];

export interface State {
  resource: string;
  /** Undefined until the list was read whole. */
  since: string | undefined;
  walk: number;
  /** Of a reading of the whole list that isn’t done: the last page that is in the mirror, and when it began. */
  walkPage: number | undefined;
  walkBegan: string | undefined;
  deletedFilter: 'include' | 'only' | undefined;
  syncedAt: string | undefined;
  fullAt: string | undefined;
  lastError: string | undefined;
}

export function newState(resource: string): State {
  return {
    resource,
    since: undefined,
    walk: 0,
    walkPage: undefined,
    walkBegan: undefined,
    deletedFilter: undefined,
    syncedAt: undefined,
    fullAt: undefined,
    lastError: undefined,
  };
}

/** In the order of the table’s columns. */
export function stateRow(state: State): Cell[] {
  const { resource, since, walk, walkPage, walkBegan, deletedFilter, syncedAt, fullAt, lastError } = state;
  const cells = [resource, since, walk, walkPage, walkBegan, deletedFilter, syncedAt, fullAt, lastError];
  return cells.map((cell) => cell ?? null);
}

export function stateOf(row: StoredRow): State {
  const text = (name: string) => {
    const cell = row[name];
    return cell === null || cell === undefined ? undefined : String(cell);
  };
  const filter = text('deleted_filter');
  return {
    resource: String(row.id),
    since: text('since'),
    walk: Number(row.walk ?? 0),
    walkPage: typeof row.walk_page === 'number' ? row.walk_page : undefined,
    walkBegan: text('walk_began'),
    deletedFilter: filter === 'include' || filter === 'only' ? filter : undefined,
    syncedAt: text('synced_at'),
    fullAt: text('full_at'),
    lastError: text('last_error'),
  };
}
