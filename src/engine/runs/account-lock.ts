/**
 * Locks resources of an account for a run, so that no other run of this user writes them at the same time. A resource has
 * one lock file for the token and one for the business, if it is known: two runs write to the same account if they have
 * one of them in common. A file beside each lock describes its process.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { AccountIdentity } from '../../account/session/account.ts';
import type { Api } from '../../api/contract/api.ts';
import { appFolder } from '../../base/app-folders.ts';
import type { Environment } from '../../base/environment.ts';
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { replaceFileSync } from '../../base/replace-file.ts';
import { isBusy, StorageFailure, toStorageError } from '../../base/storage/failures.ts';
import { type FileLock, lockFile, lockFileSuffix } from '../../base/storage/file-lock.ts';
import { retryWhileBusy } from '../../base/storage/retry-while-busy.ts';
import { Ledger, type LockHolder, type Locks } from './ledger/ledger.ts';
import { hasRun, openRun, reconcileAfterMs } from './ledger/runs.ts';

export interface AccountLockRequest {
  account: AccountIdentity;
  env: Environment;
  /** The names of the resources, as the API document spells them. */
  resources: readonly string[];
  holder: Pick<LockHolder, 'command' | 'rows'>;
  /** Ends the wait with its reason. */
  signal: AbortSignal;
  api: Api;
  /** False to fail instead of waiting for a process. */
  waits: boolean;
  /** Called with a message once for each process that this run waits for. */
  onWait(message: string): void;
  now(): number;
}

/**
 * Locks all resources at once, and waits for processes that have locked one of them. Records that were read before may have
 * changed when it returns. Throws the reason of the signal.
 */
export async function lockAccount(request: AccountLockRequest): Promise<Locks> {
  const { resources, signal, waits, onWait, now, api } = request;
  const files = lockFilesOf(request);
  const ownHolder: LockHolder = { pid: process.pid, since: Date.now(), ...request.holder, resources };
  const waitedFor: LockHolder[] = [];
  const reportWait = (file: string) => {
    const holder = readHolder(file);
    if (!holder || waitedFor.some(({ pid, since }) => pid === holder.pid && since === holder.since)) return;
    const names = holder.resources.filter((name) => resources.includes(name));
    const holderText = describeHolder(holder, names, api);
    if (!waits) throw notWaitingFailure(holderText);
    onWait(`Waiting for ${holderText}. Ctrl-C to stop waiting.`);
    waitedFor.push(holder);
  };
  const noTimeout = { signal, timeoutMs: Number.POSITIVE_INFINITY };
  const locks = await retryWhileBusy(() => takeAll(files, reportWait), noTimeout);
  const interrupted = interruptedHolders(files);
  let isReleased = false;
  const release: Locks['release'] = ({ hasPendingRequests } = { hasPendingRequests: false }) => {
    if (isReleased) return;
    isReleased = true;
    if (!hasPendingRequests) for (const file of files) rmSync(holderFile(file), { force: true });
    for (const lock of locks) lock.release();
  };
  try {
    writeHolder(files, ownHolder);
    for (const holder of interrupted) {
      const ms = graceMs(holder, now());
      if (ms > 0) onWait(`boh ${holder.command} was interrupted: waiting for its last requests.`);
      if (ms > 0) await setTimeout(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  } catch (error) {
    release({ hasPendingRequests: interrupted.length > 0 });
    throw error;
  }
  return { waitedFor, release, recordLedger: (ledger) => writeHolder(files, { ...ownHolder, ...ledger }) };
}

/**
 * Describes the process that holds a lock: `boh customers import (process 42, since 2026-11-24 10:00:00), which is writing customers`.
 */
function describeHolder({ command, pid, since }: LockHolder, names: readonly string[], api: Api): string {
  const startTime = new Date(since).toLocaleString('sv-SE');
  const nouns = names.map((name) => api.nounsOf(name)).join(', ');
  return `boh ${command} (process ${pid}, since ${startTime}), which is writing ${nouns} in this account`;
}

function notWaitingFailure(holderText: string): Failure {
  return new Failure('unavailable', `Not waiting for ${holderText}; nothing was sent.`, {
    hint: boh.hint`Try again later, or omit --no-wait. To show its progress: ${boh.plain('runs list')}`,
    outcome: 'not_sent',
  });
}

/** Returns the files to lock. All runs lock them in the same order, so that two runs don't block each other. */
function lockFilesOf({ account: { service, key, business }, env, resources }: AccountLockRequest): string[] {
  const accountNames = key === undefined ? [hashOf(service)] : [hashOf(service, key)];
  if (key !== undefined && business) accountNames.push(hashOf(service, 'business', business.id));
  const folder = join(appFolder(env, 'data'), 'locks');
  return accountNames
    .flatMap((name) => resources.map((resource) => join(folder, `${name}-${resource}`)))
    .sort();
}

function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/** Locks all files, or none: if another process has locked a file, calls `onBusy` with it and throws. */
function takeAll(files: readonly string[], onBusy: (file: string) => void): FileLock[] {
  const locks: FileLock[] = [];
  for (const file of files) {
    try {
      locks.push(lockFile(describeLock(file)));
    } catch (error) {
      for (const lock of locks) lock.release();
      if (isBusy(error)) onBusy(file);
      throw error;
    }
  }
  return locks;
}

function readHolder(file: string): LockHolder | undefined {
  try {
    const holder = JSON.parse(readFileSync(holderFile(file), 'utf8'));
    return Array.isArray(holder.resources) ? holder : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the processes that ended without releasing one of the locks, or with requests that may still arrive. */
function interruptedHolders(files: readonly string[]): LockHolder[] {
  const holders = files.flatMap((file) => readHolder(file) ?? []);
  return [...new Map(holders.map((holder) => [holder.pid, holder])).values()];
}

function writeHolder(files: readonly string[], holder: LockHolder): void {
  for (const file of files) {
    try {
      replaceFileSync(holderFile(file), JSON.stringify(holder));
    } catch (error) {
      throw toStorageError(error, describeLock(file));
    }
  }
}

function holderFile(file: string): string {
  return `${file}.json`;
}

function describeLock(file: string) {
  const remedy = `If no other boh process is running, delete ${file}${lockFileSuffix}.`;
  return { file, label: 'The lock', remedy };
}

/**
 * Returns how long the service may still process requests of a process that was interrupted, in ms. Its ledger shows which
 * rows are open and when they were sent; without a ledger, a request may have been sent just now.
 */
function graceMs({ ledger: file, run }: LockHolder, now: number): number {
  if (file === undefined) return reconcileAfterMs;
  // The ledger was deleted, so nothing was sent.
  if (!existsSync(file) || (run !== undefined && !hasRun(dirname(file), run))) return 0;
  try {
    const ledger = run === undefined ? new Ledger(file) : openRun(dirname(file), run);
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
