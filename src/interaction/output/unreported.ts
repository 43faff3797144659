/** The failure of a write that was carried out, where nothing but showing its result has failed. */
import { Failure } from '../../errors.ts';
import { OutputClosed, OutputRefused } from '../../terminal/streams.ts';
import type { Done } from './result.ts';

/** Never an invitation to repeat the write: it says what was done, and how to look at it. Bugs stay bugs. */
export function unreported({ message, check }: Done, error: unknown): unknown {
  if (!(error instanceof Failure || error instanceof OutputClosed)) return error;
  return new Failure('unreported', `${message} Only the result could not be shown: ${reasonOf(error)}`, {
    outcome: 'done',
    hint: `Don’t repeat the command.${check === undefined ? '' : ` To see what there is now: ${check}`}`,
    cause: error,
  });
}

function reasonOf(error: Failure | OutputClosed): string {
  return error instanceof OutputRefused ? `${error.reason}.` : error.message;
}
