/** Copies the file of a sandbox, whoever is using the one or the other. */
import { backup, DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../errors.ts';

/** Page by page, as SQLite copies a database that is in use: nothing of an unfinished copy is ever seen. */
export async function copy(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from);
  try {
    for (let attempt = 1; ; attempt++) {
      const problem = await tryToCopy(source, to);
      if (problem === undefined) return;
      if (!problem.isBusy || attempt === mostAttempts) throw notCopied(to, problem);
      await sleep(pause);
    }
  } finally {
    source.close();
  }
}

/** Unlike other statements a copy doesn't wait by itself for somebody else's write to end. In milliseconds. */
const pause = 50;
const mostAttempts = 100;

interface CopyProblem {
  isBusy: boolean;
  cause: Error;
}

async function tryToCopy(source: DatabaseSync, to: string): Promise<CopyProblem | undefined> {
  try {
    await backup(source, to, { rate: 10_000 });
    return undefined;
  } catch (cause) {
    if (!(cause instanceof Error && 'errcode' in cause)) throw cause;
    // SQLite's codes for busy and locked; Node gives 0 where the copy could not begin for that.
    return { isBusy: [0, 5, 6].includes(Number(cause.errcode) & 0xff), cause };
  }
}

function notCopied(to: string, { isBusy, cause }: CopyProblem): Failure {
  const reason = isBusy ? 'another process keeps writing to it' : cause.message;
  return new Failure('unavailable', `${to} can’t be written: ${reason}.`, {
    hint: 'Nothing was changed. Try again.',
    cause,
  });
}
