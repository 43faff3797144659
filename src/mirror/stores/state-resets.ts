/**
 * Resets the sync state of resources whose tables were missing, or were missing columns, so that the next sync reads
 * them again.
 */
import { historyTable } from '../schema/history-tables.ts';
import { metadataTable, type State, stateTable } from '../schema/state.ts';
import { idColumn } from '../schema/table.ts';
import { stateChange } from '../sync/states.ts';
import { cursorKey } from '../sync/sync-history.ts';
import type { StoreChange } from './store.ts';

/** A table that was created, or to which columns were added. */
export interface CreatedTable {
  /**
   * The name of the resource, or of the history table, whose sync state covers it; undefined for the mirror's own
   * tables.
   */
  stateName?: string | undefined;
  /** Whether it is a main table that didn't exist at all. */
  isLost: boolean;
}

/**
 * Returns changes that reset the sync states of the created tables. They must be written before the tables are created
 * or in the same transaction: otherwise an empty mirror would count as up to date.
 */
export function stateResets(
  states: ReadonlyMap<string, State>,
  createdTables: readonly CreatedTable[],
): StoreChange[] {
  const lostNames = new Set(createdTables.flatMap(({ stateName, isLost }) => (isLost ? [stateName] : [])));
  return [...new Set(createdTables.map(({ stateName }) => stateName))].flatMap((name): StoreChange[] => {
    const state = name === undefined ? undefined : states.get(name);
    if (!state) return [];
    if (name === historyTable.name)
      return [{ kind: 'drop', table: metadataTable, column: idColumn, values: [cursorKey] }];
    if (lostNames.has(name))
      return [{ kind: 'drop', table: stateTable, column: idColumn, values: [state.resource] }];
    return [stateChange({ ...state, since: undefined, readingPage: undefined })];
  });
}
