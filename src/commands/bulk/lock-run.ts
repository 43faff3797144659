/** Takes the lock of a run: reports which run it waits for, or fails with `--no-wait`. */
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import type { Api } from '../../contract/api.ts';
import { lockAccount } from '../../runs/account-lock.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { type AccountInUse, accountInUse } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import { StorageFailure } from '../../storage/failures.ts';
import type { LockHolder, Locks } from '../../storage/lock-queue.ts';
import { note, warn } from '../../terminal/messages.ts';
import type { WaitFlags } from '../flags/shared-flags.ts';
import type { RunFlags } from './run-flags.ts';

export interface RunLocking {
  /** The account, or what returns it; asked only if something is locked. */
  account: Session | (() => Promise<AccountInUse>);
  /** Names of the resources that are written. */
  resources: readonly string[];
  flags: WaitFlags & Pick<RunFlags, 'out'>;
  /** What this run is called by those that wait for it: `customers import`. */
  command: string;
  /** By which another run of the same rows is known. */
  rows?: string | undefined;
}

const none: Locks = { waitedFor: [], noteLedger() {}, release() {} };

/**
 * Released at the latest when the command ends. Nothing is locked in a dry run, where the plan is saved, and where nothing
 * is written. Throws a StorageFailure where others may have the lock and this process can't ask for it, as on a full disk.
 * A home that can't be written locks for no one, and is only warned of.
 */
export async function lockRun(locking: RunLocking, context: Context): Promise<Locks> {
  const { account, resources, flags, command, rows } = locking;
  const { api, env, globals, signal, streams } = context;
  if (globals.dryRun || flags.out !== undefined || resources.length === 0) return none;
  try {
    const locks = await lockAccount({
      account: await (typeof account === 'function' ? account() : accountInUse(account)),
      env,
      resources,
      holder: { command, rows },
      signal,
      now: () => context.now().getTime(),
      onWait: (holder, names) => {
        const what = waitedFor(holder, names, api);
        if (flags.wait === false) throw inTheWay(what);
        note(streams, `Waiting for ${what}. Ctrl-C to stop waiting.`);
      },
      onGracePeriod: ({ command: other }) =>
        note(streams, `boh ${other} was interrupted: waiting for its last requests.`),
    });
    // Whatever has not told by then how it ended may have left something under way.
    context.atEnd.push(() => locks.release({ hasPendingRequests: true }));
    return locks;
  } catch (error) {
    if (!(error instanceof StorageFailure) || error.problem !== 'unreachable') throw error;
    warn(streams, `Other runs in this account at the same time can't be detected: ${error.message}`);
    return none;
  }
}

/** Takes the lock of a run; its ledger releases it. */
export async function lockLedger(ledger: Ledger, locking: RunLocking, context: Context): Promise<void> {
  ledger.takeOverLocks(await lockRun(locking, context));
}

/** Returns the names of the resources that a planned run still writes. */
export function remainingResources(ledger: Ledger): string[] {
  return [...new Set(ledger.remainingOperations().map(({ resource }) => resource))];
}

/**
 * Describes a process: `boh customers import (process 42, since 2026-11-24 10:00:00), which is writing customers`.
 */
function waitedFor({ command, pid, since }: LockHolder, names: readonly string[], api: Api): string {
  const at = new Date(since).toLocaleString('sv-SE');
  const what = names.map((name) => api.nounsOf(name)).join(', ');
  return `boh ${command} (process ${pid}, since ${at}), which is writing ${what} in this account`;
}

function inTheWay(what: string): Failure {
  return new Failure('unavailable', `Not waiting for ${what}; nothing was sent.`, {
    hint: boh.hint`Try again later, or omit --no-wait. To show its progress: ${boh.plain('runs list')}`,
    outcome: 'not_sent',
  });
}
