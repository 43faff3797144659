/** Reads and writes the sync states and the metadata of a mirror. */
import { hash } from 'node:crypto';
import { identifier, sql } from '../../../api/sql/sql.ts';
import type { MirroredResource } from '../schema/derive.ts';
import {
  forgottenTable,
  metadataTable,
  newState,
  type State,
  stateOf,
  stateRow,
  stateTable,
} from '../schema/state.ts';
import { columnNames } from '../schema/table.ts';
import type { Reader, StoreChange } from '../stores/store.ts';

export async function readStates(store: Pick<Reader, 'read'>): Promise<Map<string, State>> {
  const rows = await store.read(sql`SELECT * FROM ${identifier(stateTable.name)}`);
  return new Map(rows.map(stateOf).map((state) => [state.resource, state]));
}

/** Returns the state of a resource, or a new state if it has never been synced. */
export function stateFor(states: ReadonlyMap<string, State>, resource: string): State {
  return states.get(resource) ?? newState(resource);
}

/**
 * Returns the state from which a resource is synced. If its rows were stored with other columns, with another preset or
 * version of boh, the whole list is read again.
 */
export function stateToSync(
  states: ReadonlyMap<string, State>,
  { resource, tables }: MirroredResource,
): State {
  const state = stateFor(states, resource.name);
  const columns = hash('sha256', JSON.stringify(tables.map(columnNames)), 'base64url').slice(0, 16);
  return state.columns === columns ? state : { ...state, columns, since: undefined, readingPage: undefined };
}

export function stateChange(state: State): StoreChange {
  return { kind: 'put', table: stateTable, rows: [stateRow(state)] };
}

/** Returns the metadata with a key; undefined if it isn't set. */
export async function readMetadata(store: Pick<Reader, 'read'>, key: string): Promise<string | undefined> {
  const query = sql`SELECT value FROM ${identifier(metadataTable.name)} WHERE id = ${key}`;
  const value = (await store.read(query))[0]?.value;
  return value === null || value === undefined ? undefined : String(value);
}

export function metadataChange(key: string, value: string): StoreChange {
  return { kind: 'put', table: metadataTable, rows: [[key, value]] };
}

/** Returns the forgotten records as `RESOURCE/ID`. */
export async function readForgotten(store: Pick<Reader, 'read'>): Promise<Set<string>> {
  const rows = await store.read(sql`SELECT id FROM ${identifier(forgottenTable.name)}`);
  return new Set(rows.map(({ id }) => String(id)));
}
