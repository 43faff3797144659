/** What a mirror doesn’t hold any more, as its tables had to be made anew, or not yet, as they got columns: it is read again. */
import { historyTable } from '../schema/history-tables.ts';
import { factsTable, type State, stateTable } from '../schema/state.ts';
import { idColumn } from '../schema/table.ts';
import { keepState } from '../sync/states.ts';
import { cursorFact } from '../sync/sync-history.ts';
import type { Change } from './store.ts';

/** A table that was not there, or not with all of its columns. */
export interface Made {
  /** Whose it is: a resource, or the history; nothing for what a mirror keeps of itself. */
  of?: string | undefined;
  /** The one with the records was not there at all. */
  isLost: boolean;
}

/** Written before the tables are made, or together with that: otherwise a mirror that is empty would count as up to date. */
export function lapsesOf(states: ReadonlyMap<string, State>, made: readonly Made[]): Change[] {
  const lost = new Set(made.flatMap(({ of, isLost }) => (isLost ? [of] : [])));
  return [...new Set(made.map(({ of }) => of))].flatMap((name): Change[] => {
    const state = name === undefined ? undefined : states.get(name);
    if (!state) return [];
    if (name === historyTable.name)
      return [{ kind: 'drop', table: factsTable, column: idColumn, values: [cursorFact] }];
    if (lost.has(name))
      return [{ kind: 'drop', table: stateTable, column: idColumn, values: [state.resource] }];
    return [keepState({ ...state, since: undefined, walkPage: undefined })];
  });
}
