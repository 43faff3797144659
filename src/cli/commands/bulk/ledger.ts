/** Creates the ledger of a run of a command, and locks the resources that the run writes. */

import { type AccountIdentity, accountInUse } from '../../../account/session/account.ts';
import type { Session } from '../../../account/session/session.ts';
import { StorageFailure } from '../../../base/storage/failures.ts';
import { runsInProgress } from '../../../engine/changes/open-change-sets.ts';
import { lockAccount } from '../../../engine/runs/account-lock.ts';
import type { Ledger, Locks } from '../../../engine/runs/ledger/ledger.ts';
import { createLedger, type NewLedgerOptions } from '../../../engine/runs/ledger/new-ledger.ts';
import type { Context } from '../../context/context.ts';
import { note, warn } from '../../terminal/messages.ts';
import type { WaitFlags } from '../flags/shared-flags.ts';
import type { RunFlags } from './run-flags.ts';

interface CommandLedgerOptions extends NewLedgerOptions {
  /** The account that the run writes to, if it isn't the one in use. */
  session?: Session | undefined;
  context: Context;
}

/** Plans a run in a new ledger. If planning fails, the ledger is deleted: nothing was sent yet. */
export async function planInNewLedger<Planned>(
  options: CommandLedgerOptions,
  plan: (ledger: Ledger) => Promise<Planned>,
): Promise<Planned> {
  const ledger = await openNewLedger(options);
  try {
    return await plan(ledger);
  } catch (error) {
    ledger.discard();
    throw error;
  }
}

/** Creates the ledger of a run in the account. */
export function openNewLedger({ session, context, ...options }: CommandLedgerOptions): Promise<Ledger> {
  const folder = async () => (session ?? (await context.session())).folder();
  return createLedger(options, { folder, keptRuns: runsInProgress, now: context.now() });
}

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
      api,
      waits: flags.wait !== false,
      onWait: (message) => note(streams, message),
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
