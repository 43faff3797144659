/** One apply at a time for each account on this machine; and what an earlier one that was killed has left behind. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { endRun, openedRun, settleAfter } from '../../bulk/ledger/left-runs.ts';
import { runIds, runsFolder } from '../../bulk/ledger/runs.ts';
import type { Environment } from '../../environment.ts';
import { Failure } from '../../errors.ts';
import { isBusy } from '../../storage/failures.ts';
import { type Hold, hold } from '../../storage/hold.ts';

export const applyCommandName = 'apply';

/** Throws `unavailable` where another apply is at work on the account; the lock of a killed one is free at once. */
export function holdAccount(
  { place, business }: { place: unknown; business: unknown },
  env: Environment,
): Hold {
  const mark = createHash('sha256')
    .update(JSON.stringify([place, business]))
    .digest('hex')
    .slice(0, 16);
  const file = join(runsFolder(env), `apply-${mark}`);
  try {
    return hold({ file, called: 'The lock of an apply', remedy: `Set ${file} aside.` });
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Failure('unavailable', 'Another apply is at work on this account; nothing was sent.', {
      hint: 'Run it again once that is over. See how far it is: boh runs list',
      outcome: 'not_sent',
      cause: error,
    });
  }
}

export interface EarlierApplies {
  /** How long to wait before the account is read: something may still be on its way. */
  waitMs: number;
  /** Ends them: what they had not done is planned anew. */
  close(): void;
}

/** Unfinished applies of the account. To be asked under its hold: none of them is at work. */
export function earlierApplies(place: string, env: Environment, now: number): EarlierApplies {
  const own = runIds(env).filter((id) => {
    const ledger = openedRun(env, id);
    if (!ledger) return false;
    try {
      const isOurs = ledger.fact('command') === applyCommandName && ledger.fact('place') === place;
      return isOurs && ledger.fact('state') === 'unfinished';
    } finally {
      ledger.close();
    }
  });
  let waitMs = 0;
  for (const id of own) {
    const ledger = openedRun(env, id);
    for (const { sentAt } of ledger?.rows('sent', 'unknown') ?? [])
      waitMs = Math.max(waitMs, Math.min(settleAfter, (sentAt ?? 0) + settleAfter - now));
    ledger?.close();
  }
  const close = () => {
    for (const id of own) endRun(env, id);
  };
  return { waitMs, close };
}
