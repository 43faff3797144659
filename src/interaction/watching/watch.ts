/** `list --watch`: a list that is read again and again, and shows what changes. */
import { systemClock } from '../../client/retry.ts';
import { usage } from '../../errors.ts';
import type { Result } from '../output/result.ts';
import { leastPauseMs, type Watch } from './readings.ts';
import { watchChanges } from './watch-changes.ts';
import { watchTable } from './watch-table.ts';

const usualSeconds = 5;
const leastSeconds = leastPauseMs / 1000;
const mostSeconds = 86_400;

/** `every` is in seconds, as typed; true where nothing was typed. Ends with an interruption, or at `--limit` changes. */
export async function watchList(
  given: Omit<Watch, 'everyMs' | 'clock'>,
  every: string | true,
  clock: Watch['clock'] = systemClock,
): Promise<Result> {
  const { view, context } = given;
  const watch = { ...given, clock, everyMs: readSeconds(every) * 1000 };
  if (!view.raw && !view.select) {
    if (view.format.name === 'ndjson') return { kind: 'live', moments: watchChanges(watch) };
    if (view.format.isForPeople && context.streams.isTerminal.out) {
      await watchTable(watch);
      return { kind: 'nothing' };
    }
  }
  throw usage(
    '--watch shows a table on a terminal, or with -o ndjson one line for each record that changes.',
  );
}

function readSeconds(typed: string | true): number {
  const seconds = typed === true ? usualSeconds : Number(typed);
  if (seconds >= leastSeconds && seconds <= mostSeconds) return seconds;
  throw usage(`--watch takes a number of seconds from ${leastSeconds} to ${mostSeconds}.`);
}
