/** Declared records that take more than a glance, held against the contract. */
import type { Mistakes } from '../source/mistakes.ts';
import type { Unsure } from './check-given.ts';

/** Loads what has the words for mistakes where there is anything to check. */
export async function checkAll(unsure: readonly Unsure[], mistakes: Mistakes): Promise<void> {
  if (unsure.length === 0) return;
  const { checkGiven } = await import('./check-given.ts');
  for (const each of unsure) checkGiven(each, mistakes);
}
