/** A mirror that is brought up to date by one process alone: two would take each other’s readings for their own. */
import { hash } from 'node:crypto';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Failure } from '../errors.ts';
import { isBusy } from '../storage/failures.ts';
import { type Hold, hold } from '../storage/hold.ts';
import { namingOfMirror } from './stores/sqlite-form.ts';
import type { Target } from './target.ts';

/** Between two attempts, in milliseconds. */
const pause = 200;

/** Waits for another process where it is to, as long as the signal lets it; else throws where there is one. */
export async function holdMirror(
  target: Target,
  { isWaiting, signal }: { isWaiting: boolean; signal: AbortSignal },
): Promise<Hold> {
  for (;;) {
    try {
      return hold(namingOfMirror(holdFile(target)));
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (!isWaiting) {
        throw new Failure('unavailable', `Another sync of the mirror ${target.called} is under way.`, {
          hint: 'To wait for it: --lock. How old the copy is: boh mirror status',
          cause: error,
        });
      }
      await setTimeout(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** Of a database it is known to this machine alone: engines that are several machines have no locks of their own for it. */
function holdFile(target: Target): string {
  if (target.kind === 'sqlite') return target.file;
  const { host, port, database } = target;
  const name = hash('sha1', JSON.stringify([host, port, database])).slice(0, 16);
  return join(tmpdir(), `boh-mirror-${userInfo().uid}-${name}`);
}
