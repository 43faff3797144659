/** How a mirror stands: for each resource its rows, their age, and what went wrong last. */
import { readMoment } from '../contract/moment.ts';
import type { Mirrored } from './schema/derive.ts';
import { historyTable } from './schema/history-tables.ts';
import { countOf } from './stores/reads.ts';
import type { Reader } from './stores/store.ts';
import { readStates, stateIn } from './sync/states.ts';

export interface ResourceStatus {
  resource: string;
  /** Deleted records that are still held among them. */
  rows: number;
  /** In seconds: how long ago the last sync began that was done to its end. Null where there was none. */
  age: number | null;
  last_error: string | null;
}

export async function mirrorStatus(
  reader: Reader,
  resources: readonly Mirrored[],
  now: Date,
  withHistory: boolean,
): Promise<ResourceStatus[]> {
  const states = await readStates(reader);
  const found: ResourceStatus[] = [];
  const names = resources.map(({ main }) => main.name);
  // A mirror that was never told to hold the history has no state of it.
  if (withHistory && states.has(historyTable.name)) names.push(historyTable.name);
  for (const name of names) {
    const { syncedAt, lastError = null } = stateIn(states, name);
    const rows = states.has(name) ? await countOf(reader, { name }) : 0;
    found.push({ resource: name, rows, age: ageOf(syncedAt, now), last_error: lastError });
  }
  return found;
}

/** In seconds, never less than 0: clocks may differ. */
export function ageOf(syncedAt: string | undefined, now: Date): number | null {
  const moment = syncedAt === undefined ? undefined : readMoment(syncedAt, now);
  return moment ? Math.max(0, Math.round((now.getTime() - moment.getTime()) / 1000)) : null;
}
