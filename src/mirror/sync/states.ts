/** Where a mirror stands, read from it and kept in it. */
import {
  factsTable,
  forgottenTable,
  newState,
  type State,
  stateOf,
  stateRow,
  stateTable,
} from '../schema/state.ts';
import type { Change, Reader } from '../stores/store.ts';

export async function readStates(store: Pick<Reader, 'read' | 'queries'>): Promise<Map<string, State>> {
  const rows = await store.read(store.queries.selectFrom(stateTable.name).selectAll());
  return new Map(rows.map(stateOf).map((state) => [state.resource, state]));
}

export function stateIn(states: ReadonlyMap<string, State>, resource: string): State {
  return states.get(resource) ?? newState(resource);
}

export function keepState(state: State): Change {
  return { kind: 'put', table: stateTable, rows: [stateRow(state)] };
}

export async function readFact(
  store: Pick<Reader, 'read' | 'queries'>,
  name: string,
): Promise<string | undefined> {
  const query = store.queries.selectFrom(factsTable.name).select('value').where('id', '=', name);
  const value = (await store.read(query))[0]?.value;
  return value === null || value === undefined ? undefined : String(value);
}

export function keepFact(name: string, value: string): Change {
  return { kind: 'put', table: factsTable, rows: [[name, value]] };
}

/** As `RESOURCE/ID`. */
export async function readForgotten(store: Pick<Reader, 'read' | 'queries'>): Promise<Set<string>> {
  const rows = await store.read(store.queries.selectFrom(forgottenTable.name).select('id'));
  return new Set(rows.map(({ id }) => String(id)));
}
