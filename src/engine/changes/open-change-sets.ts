/** Opens the change sets of an account. */
import { existsSync } from 'node:fs';
import { logFile } from '../runs/log.ts';
import { isInProgress } from './change-set.ts';
import { ChangeSets } from './change-sets.ts';

/** Opens the change sets in the folder of an account. Returns undefined if it has none, unless `createsIfMissing`. */
export function openChangeSets(folder: string, { createsIfMissing = false } = {}): ChangeSets | undefined {
  if (!createsIfMissing && !existsSync(logFile(folder))) return undefined;
  const sets = new ChangeSets(folder);
  if (createsIfMissing || sets.all().length > 0) return sets;
  sets.close();
  return undefined;
}

/** Returns the runs of all sets in progress of an account: without them and their history, no set could be ended. */
export function runsInProgress(folder: string): string[] {
  const sets = openChangeSets(folder);
  const runs = sets?.all().filter(isInProgress) ?? [];
  sets?.close();
  return runs.flatMap(({ run, returnRun }) => [run, returnRun ?? []].flat());
}
