/** Reads and writes the sync states and facts that a mirror stores about itself. */
import {
  factsTable,
  forgottenTable,
  newState,
  type State,
  stateOf,
  stateRow,
  stateTable,
} from '../schema/state.ts';
import { name, sql } from '../stores/sql.ts';
import type { Change, Reader } from '../stores/store.ts';

/** Returns the states by resource. */
export async function readStates(store: Pick<Reader, 'read'>): Promise<Map<string, State>> {
  const rows = await store.read(sql`SELECT * FROM ${name(stateTable.name)}`);
  return new Map(rows.map(stateOf).map((state) => [state.resource, state]));
}

/** Returns the state of a resource, or a new state if it has never been synced. */
export function stateIn(states: ReadonlyMap<string, State>, resource: string): State {
  return states.get(resource) ?? newState(resource);
}

/** Returns the change that stores a state. */
export function keepState(state: State): Change {
  return { kind: 'put', table: stateTable, rows: [stateRow(state)] };
}

/** Returns the value of a fact; undefined if it isn't set. */
export async function readFact(store: Pick<Reader, 'read'>, fact: string): Promise<string | undefined> {
  const query = sql`SELECT value FROM ${name(factsTable.name)} WHERE id = ${fact}`;
  const value = (await store.read(query))[0]?.value;
  return value === null || value === undefined ? undefined : String(value);
}

/** Returns the change that stores a fact. */
export function keepFact(fact: string, value: string): Change {
  return { kind: 'put', table: factsTable, rows: [[fact, value]] };
}

/** Returns the forgotten records as `RESOURCE/ID`. */
export async function readForgotten(store: Pick<Reader, 'read'>): Promise<Set<string>> {
  const rows = await store.read(sql`SELECT id FROM ${name(forgottenTable.name)}`);
  return new Set(rows.map(({ id }) => String(id)));
}
