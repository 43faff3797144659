/** Writes messages about a result to stderr: notes, and the command that undoes it. */

import { Failure } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import type { Context } from '../context/context.ts';
import { note } from '../terminal/messages.ts';
import { OutputClosed, OutputRefused } from '../terminal/streams.ts';
import type { CompletedWrite } from './result.ts';

/** Writes notes to stderr, one per line. */
export function printNotes(context: Context, notes: readonly Hint[] = []): void {
  for (const text of notes) note(context.streams, text);
}

/** Writes the command that undoes the writes of this command, once. */
export function noteUndo(context: Context): void {
  const line = undoHint(context);
  if (line === undefined) return;
  note(context.streams, line);
  context.recordedWrites.isUndoShown = true;
}

/** Returns a note with the command that undoes the writes, or the run `run`; undefined if there are no writes or it was already shown. */
export function undoHint(
  { recordedWrites }: Pick<Context, 'recordedWrites'>,
  run?: string,
): Hint | undefined {
  if (recordedWrites.count === 0 || recordedWrites.isUndoShown) return undefined;
  const target =
    run ?? (recordedWrites.count === 1 ? String(recordedWrites.number) : recordedWrites.run) ?? '';
  return boh.hint`To undo this: ${boh.account('undo', target)}`;
}

/**
 * Returns the failure of a completed write whose result couldn't be shown. Its message says what was done and how to
 * check it, so that users don't repeat the write. Other errors are returned unchanged.
 */
export function unreportedFailure({ message, check }: CompletedWrite, error: unknown): unknown {
  if (!(error instanceof Failure || error instanceof OutputClosed)) return error;
  return new Failure('unreported', `${message} The result could not be shown: ${reasonOf(error)}`, {
    outcome: 'done',
    hint: [
      "Don't repeat the command.",
      ...(check === undefined ? [] : [' To check the current state: ', check]),
    ],
    cause: error,
  });
}

function reasonOf(error: Failure | OutputClosed): string {
  return error instanceof OutputRefused ? `${error.reason}.` : error.message;
}
