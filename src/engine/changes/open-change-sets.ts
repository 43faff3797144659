/** Finds and opens the file of the change sets of an account. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isInProgress } from './change-set.ts';
import { ChangeSets } from './change-sets.ts';

/** Opens the change sets in the folder of an account. Returns undefined if it has none, unless `createsIfMissing`. */
export function openChangeSets(folder: string, { createsIfMissing = false } = {}): ChangeSets | undefined {
  const file = join(folder, 'changes.sqlite');
  return createsIfMissing || existsSync(file) ? new ChangeSets(file) : undefined;
}

/** Returns the runs of all sets in progress of an account: without them and their history, no set could be ended. */
export function runsInProgress(folder: string): string[] {
  const sets = openChangeSets(folder);
  const runs = sets?.all().filter(isInProgress) ?? [];
  sets?.close();
  return runs.flatMap(({ run, returnRun }) => [run, returnRun ?? []].flat());
}
