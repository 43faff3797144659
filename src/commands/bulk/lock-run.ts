/** Locks the resources of a run. Reports the run that it waits for, or fails with `--no-wait`. */
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import type { Api } from '../../contract/api.ts';
import { lockAccount } from '../../runs/account-lock.ts';
import type { Ledger, LockHolder, Locks } from '../../runs/ledger/ledger.ts';
import { type AccountIdentity, accountInUse } from '../../session/account.ts';
import type { Session } from '../../session/session.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { note, warn } from '../../terminal/messages.ts';
import type { WaitFlags } from '../flags/shared-flags.ts';
import type { RunFlags } from './run-flags.ts';

/** A request to lock the resources of a run. */
export interface RunLockRequest {
  /** The account, or a function that returns it. It is called only if something is locked. */
  account: Session | (() => Promise<AccountIdentity>);
  /** Names of the resources that are written. */
  resources: readonly string[];
  flags: WaitFlags & Pick<RunFlags, 'out'>;
  /** The name of this run for runs that wait for it: `customers import`. */
  command: string;
  /** The fingerprint of the rows, which identifies another run of the same rows. */
  rows?: string | undefined;
}

const noLocks: Locks = { waitedFor: [], recordLedger() {}, release() {} };

/**
 * Locks the resources of a run against other runs, and returns the locks. They are released when the command ends, if not
 * earlier. Locks nothing in a dry run, if the plan is saved, or without resources. Throws a StorageFailure if another
 * process may hold the lock and this can't be checked, for example on a full disk. Only warns if the home folder isn't
 * writable.
 */
export async function lockRun(request: RunLockRequest, context: Context): Promise<Locks> {
  const { account, resources, flags, command, rows } = request;
  const { api, env, globals, signal, streams } = context;
  if (globals.dryRun || flags.out !== undefined || resources.length === 0) return noLocks;
  try {
    const locks = await lockAccount({
      account: await (typeof account === 'function' ? account() : accountInUse(account)),
      env,
      resources,
      holder: { command, rows },
      signal,
      now: () => context.now().getTime(),
      onWait: (holder, names) => {
        const holderText = describeHolder(holder, names, api);
        if (flags.wait === false) throw notWaitingFailure(holderText);
        note(streams, `Waiting for ${holderText}. Ctrl-C to stop waiting.`);
      },
      onGracePeriod: ({ command: otherCommand }) =>
        note(streams, `boh ${otherCommand} was interrupted: waiting for its last requests.`),
    });
    // A run that hasn't released its locks by then may have requests in progress.
    context.atEnd.push(() => locks.release({ hasPendingRequests: true }));
    return locks;
  } catch (error) {
    if (!(error instanceof StorageFailure) || error.problem !== 'unreachable') throw error;
    warn(streams, `Other runs in this account at the same time can't be detected: ${error.message}`);
    return noLocks;
  }
}

/** Locks the resources of a run. The ledger releases the locks. */
export async function lockLedger(ledger: Ledger, request: RunLockRequest, context: Context): Promise<void> {
  ledger.takeOverLocks(await lockRun(request, context));
}

/** Returns the names of the resources that a planned run still writes. */
export function remainingResources(ledger: Ledger): string[] {
  return [...new Set(ledger.remainingOperations().map(({ resource }) => resource))];
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
