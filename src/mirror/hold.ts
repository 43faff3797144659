/** A mirror that is brought up to date by one process alone: two would take each other’s readings for their own. */
import { hash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Environment } from '../base/environment.ts';
import { Failure } from '../base/errors.ts';
import { isLoopback } from '../base/loopback.ts';
import { ownFolder } from '../base/own-folders.ts';
import { isBusy } from '../storage/failures.ts';
import { type Hold, hold, holdSuffix } from '../storage/hold.ts';
import { stateOfFile } from './stores/file-state.ts';
import type { MirrorLock } from './stores/postgres-lock.ts';
import { namingOfMirror } from './stores/sqlite-form.ts';
import type { PostgresTarget, Target } from './target.ts';

/** Between two attempts, in milliseconds. */
const pause = 200;

/** Waits for another process where it is to, as long as the signal lets it; else throws where there is one. */
export async function holdMirror(
  target: Target,
  { isWaiting, signal, env }: { isWaiting: boolean; signal: AbortSignal; env: Environment },
): Promise<MirrorLock> {
  refuseForeign(target);
  for (;;) {
    const held = target.kind === 'sqlite' ? holdFile(realFile(target.file)) : await holdDatabase(target, env);
    if (held) return held;
    if (!isWaiting) {
      throw new Failure('unavailable', `Another sync of the mirror ${target.called} is under way.`, {
        hint: 'To wait for it: --lock. How old the copy is: boh mirror status',
      });
    }
    await setTimeout(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Undefined where another process has it. */
function holdFile(file: string): Hold | undefined {
  try {
    return hold(namingOfMirror(file));
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/**
 * The database's own lock, which other users and machines see. Engines that have none are locked for this user alone, in
 * a folder of their own.
 */
async function holdDatabase(target: PostgresTarget, env: Environment): Promise<MirrorLock | undefined> {
  const { lockDatabase } = await import('./stores/postgres-lock.ts');
  const held = await lockDatabase(target);
  if (held === 'taken') return undefined;
  if (held !== 'none') return held;
  const { host, port, database } = target;
  const place = isLoopback(host) ? 'localhost' : host;
  const name = hash('sha1', JSON.stringify([place, port, database])).slice(0, 16);
  const own = holdFile(join(ownFolder(env, 'data'), 'locks', `mirror-${name}`));
  return own && { ...own, release: own.clear };
}

/** Beside a file of some other program, or a folder, nothing is put. One that was held before may be in the making. */
function refuseForeign(target: Target): void {
  if (target.kind !== 'sqlite' || !existsSync(target.file)) return;
  if (existsSync(realFile(target.file) + holdSuffix)) return;
  try {
    stateOfFile(target.file);
  } catch (error) {
    // Whoever opens it to write waits for that.
    if (!isBusy(error)) throw error;
  }
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
