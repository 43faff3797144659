/** A mirror that is brought up to date by one process alone: two would take each other’s readings for their own. */
import { Failure } from '../errors.ts';
import { isBusy } from '../storage/failures.ts';
import { type Hold, hold } from '../storage/hold.ts';
import { namingOfMirror } from './stores/sqlite-form.ts';
import type { Target } from './target.ts';

/** Throws where another process has it. */
export function holdMirror({ file }: Target): Hold {
  try {
    return hold(namingOfMirror(file));
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Failure('unavailable', `Another sync of the mirror ${file} is under way.`, {
      hint: 'See how old the copy is: boh mirror status',
      cause: error,
    });
  }
}
