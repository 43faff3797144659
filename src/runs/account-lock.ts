/** Takes the lock of a run: meanwhile no other run of this user writes the same resources of the same account. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../base/environment.ts';
import { ownFolder } from '../base/own-folders.ts';
import type { AccountInUse } from '../session/file-owner.ts';
import { StorageFailure } from '../storage/failures.ts';
import { type LockHolder, type LockRequest, type Locks, takeLocks } from '../storage/lock-queue.ts';
import { Ledger } from './ledger/ledger.ts';
import { reconcileAfterMs } from './ledger/unfinished-runs.ts';

/** Describes the lock that a run needs, and who is notified while it waits. */
export interface AccountLocking extends Pick<LockRequest, 'holder' | 'signal' | 'onGracePeriod'> {
  account: AccountInUse;
  env: Environment;
  /** The names of the resources, as the API document spells them. */
  resources: readonly string[];
  /**
   * Called once for each process that is waited for, with the names of the resources that it has locked. It may throw
   * to give up.
   */
  onWait(holder: LockHolder, resources: readonly string[]): void;
  now(): number;
}

/** Takes the locks of all resources at once. Records that were read before may have changed when it returns. */
export async function lockAccount(locking: AccountLocking): Promise<Locks> {
  const { account, env, resources, onWait, now } = locking;
  const accounts = lockNamesOf(account);
  return takeLocks({
    folder: join(ownFolder(env, 'data'), 'locks'),
    names: accounts.flatMap((accountName) => resources.map((name) => `${accountName}/${name}`)),
    holder: locking.holder,
    signal: locking.signal,
    onWait: (holder, names) => onWait(holder, [...new Set(names.map((name) => name.split('/')[1] ?? ''))]),
    graceMs: (holder) => graceMs(holder, now()),
    onGracePeriod: locking.onGracePeriod,
  });
}

/**
 * Returns the names of the account in locks. Two runs are in one account if they share one: the token's, or the
 * business's if it is known.
 */
function lockNamesOf({ service: place, key, business }: AccountInUse): string[] {
  if (key === undefined) return [digestOf(place)];
  return [digestOf(place, key), ...(business ? [digestOf(place, 'business', business.id)] : [])];
}

function digestOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/**
 * Returns how long to wait after a lock was left, in ms. A ledger shows which rows are open and when they were sent;
 * without a ledger, a request may have been sent just now.
 */
function graceMs({ ledger: file }: LockHolder, now: number): number {
  if (file === undefined) return reconcileAfterMs;
  // The ledger was deleted, so nothing was sent.
  if (!existsSync(file)) return 0;
  try {
    const ledger = new Ledger(file);
    try {
      if (ledger.count('sent', 'unknown') === 0) return 0;
      return Math.max(0, Math.min(reconcileAfterMs, ledger.lastSent() + reconcileAfterMs - now));
    } finally {
      ledger.close();
    }
  } catch (error) {
    if (error instanceof StorageFailure) return reconcileAfterMs;
    throw error;
  }
}
