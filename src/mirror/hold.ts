/** A mirror that is brought up to date by one process alone: two would take each other’s readings for their own. */
import { hash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Failure } from '../errors.ts';
import { isLoopback } from '../loopback.ts';
import { isBusy } from '../storage/failures.ts';
import { type Hold, hold, holdSuffix } from '../storage/hold.ts';
import { stateOfFile } from './stores/file-state.ts';
import { namingOfMirror } from './stores/sqlite-form.ts';
import type { Target } from './target.ts';

/** Between two attempts, in milliseconds. */
const pause = 200;

/** Waits for another process where it is to, as long as the signal lets it; else throws where there is one. */
export async function holdMirror(
  target: Target,
  { isWaiting, signal }: { isWaiting: boolean; signal: AbortSignal },
): Promise<Hold> {
  refuseForeign(target);
  for (;;) {
    try {
      const held = hold(namingOfMirror(holdFile(target)));
      // Beside a file it stays; of a database it would be left among the temporary files.
      return target.kind === 'sqlite' ? held : { ...held, release: held.clear };
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

/** Beside a file of some other program, or a folder, nothing is put. One that was held before may be in the making. */
function refuseForeign(target: Target): void {
  if (target.kind !== 'sqlite' || !existsSync(target.file)) return;
  if (existsSync(holdFile(target) + holdSuffix)) return;
  try {
    stateOfFile(target.file);
  } catch (error) {
    // Whoever opens it to write waits for that.
    if (!isBusy(error)) throw error;
  }
}

/**
 * The same for one mirror, by whatever name it goes. Of a database it is known to this machine alone: engines that are
 * several machines have no locks of their own for it.
 */
function holdFile(target: Target): string {
  if (target.kind === 'sqlite') return realFile(target.file);
  const { host, port, database } = target;
  const place = isLoopback(host) ? 'localhost' : host;
  const name = hash('sha1', JSON.stringify([place, port, database])).slice(0, 16);
  return join(tmpdir(), `boh-mirror-${userInfo().uid}-${name}`);
}

/** Where links lead to. A file that isn’t there yet has a folder, or nothing that anybody else could hold. */
function realFile(file: string): string {
  for (const [path, rest] of [
    [file, ''],
    [dirname(file), basename(file)],
  ] as const) {
    try {
      return join(realpathSync(path), rest);
    } catch {
      // The next.
    }
  }
  return file;
}
