/** Acquires the lock of a run, so that no other run of this user writes the same resources of the same account. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { appFolder } from '../base/app-folders.ts';
import type { Environment } from '../base/environment.ts';
import type { AccountInUse } from '../session/file-owner.ts';
import { StorageFailure } from '../storage/failures.ts';
import { acquireLocks, type LockHolder, type LockRequest, type Locks } from '../storage/lock-queue.ts';
import { Ledger } from './ledger/ledger.ts';
import { reconcileAfterMs } from './ledger/unfinished-runs.ts';

/** Options for acquiring the lock of a run. */
export interface AccountLockOptions extends Pick<LockRequest, 'holder' | 'signal' | 'onGracePeriod'> {
  account: AccountInUse;
  env: Environment;
  /** The names of the resources, as the API document spells them. */
  resources: readonly string[];
  /**
   * Called once for each process that this run waits for, with the names of the resources that the process has locked.
   * It may throw to end the wait.
   */
  onWait(holder: LockHolder, resources: readonly string[]): void;
  now(): number;
}

/**
 * Acquires the locks of all resources at once, and waits for processes that have them. Records that were read before may
 * have changed when it returns.
 */
export async function lockAccount(options: AccountLockOptions): Promise<Locks> {
  const { account, env, resources, onWait, now } = options;
  const accountNames = lockNamesOf(account);
  return acquireLocks({
    folder: join(appFolder(env, 'data'), 'locks'),
    names: accountNames.flatMap((accountName) => resources.map((name) => `${accountName}/${name}`)),
    holder: options.holder,
    signal: options.signal,
    onWait: (holder, names) => onWait(holder, [...new Set(names.map((name) => name.split('/')[1] ?? ''))]),
    graceMs: (holder) => graceMs(holder, now()),
    onGracePeriod: options.onGracePeriod,
  });
}

/**
 * Returns the names of an account for lock names: one for the token, and one for the business if it is known. Two runs
 * write to the same account if they have a name in common.
 */
function lockNamesOf({ service, key, business }: AccountInUse): string[] {
  if (key === undefined) return [hashParts(service)];
  return [hashParts(service, key), ...(business ? [hashParts(service, 'business', business.id)] : [])];
}

function hashParts(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/**
 * Returns how long to wait after the owner of a lock has ended, in ms. Its ledger shows which rows are open and when
 * they were sent; without a ledger, a request may have been sent just now.
 */
function graceMs({ ledger: file }: LockHolder, now: number): number {
  if (file === undefined) return reconcileAfterMs;
  // The ledger was deleted, so nothing was sent.
  if (!existsSync(file)) return 0;
  try {
    const ledger = new Ledger(file);
    try {
      if (ledger.count('sent', 'unknown') === 0) return 0;
      return Math.max(0, Math.min(reconcileAfterMs, ledger.lastSentAt() + reconcileAfterMs - now));
    } finally {
      ledger.close();
    }
  } catch (error) {
    if (error instanceof StorageFailure) return reconcileAfterMs;
    throw error;
  }
}
