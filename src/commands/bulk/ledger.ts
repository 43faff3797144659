/** Creates the ledger of a new run: in the folder of runs, in a named file, or in memory. */
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { createTemporaryFolder } from '../../base/temporary-folder.ts';
import { runsInProgress } from '../../changes/open-change-sets.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import { Ledger } from '../../runs/ledger/ledger.ts';
import { newRunId } from '../../runs/ledger/run-id.ts';
import {
  createRunLedger,
  deleteOldRuns,
  isUnsent,
  recordNewRun,
  removeLedgerFiles,
} from '../../runs/ledger/runs.ts';
import type { Session } from '../../session/session.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { isSqliteFile } from '../../storage/formats.ts';
import { profileOf } from './end-run.ts';
import type { RunFlags } from './run-flags.ts';

export interface NewLedgerOptions {
  command: string;
  /** The resource that the run writes; undefined if it writes several. */
  resource?: Resource | undefined;
  /** The name of the file that the rows come from. */
  source: string | null;
  flags: RunFlags;
  /** Whether the ledger is kept after the command. */
  isKept: boolean;
  /** The account that the run writes to, if it isn't the one in use. */
  session?: Session | undefined;
  context: Context;
}

/** Plans a run in a new ledger. If planning fails, the ledger is deleted: nothing was sent yet. */
export async function planInNewLedger<Planned>(
  options: NewLedgerOptions,
  plan: (ledger: Ledger) => Promise<Planned>,
): Promise<Planned> {
  const ledger = await createLedger(options);
  try {
    return await plan(ledger);
  } catch (error) {
    ledger.discard();
    throw error;
  }
}

/** Creates the ledger of a new run. */
export async function createLedger({
  command,
  resource,
  source,
  flags,
  isKept,
  session,
  context,
}: NewLedgerOptions): Promise<Ledger> {
  const { out } = flags;
  if (out !== undefined && !isKept)
    throw usage("--out can't be combined with --dry-run: it saves the plan and sends nothing.");
  const now = context.now();
  const id = newRunId(now);
  const file = out ?? flags.ledger;
  const isInRunsFolder = isKept && file === undefined;
  const ledger = isInRunsFolder
    ? createLedgerInRunsFolder(await (session ?? (await context.session())).folder(), id, now)
    : isKept
      ? createLedgerInFile(file, flags)
      : createTemporaryLedger();
  try {
    const { rate, concurrency, between, maxErrors, maxChanges, maxDeletes, maxPriceChange } = flags;
    recordNewRun(ledger, { id, name: isInRunsFolder ? id : file || null, command, source, now });
    ledger.setProperty('resource', resource?.name ?? null);
    const limits = { maxChanges, maxDeletes, maxPriceChange };
    ledger.setProperty('flags', { rate, concurrency, between, maxErrors, ...limits });
    return ledger;
  } catch (error) {
    // The disk is full, for example.
    ledger.discard();
    throw error;
  }
}

/** Creates a ledger in the folder of an account. Throws if it can't be written, because the run could not be resumed. */
function createLedgerInRunsFolder(folder: string, id: string, now: Date): Ledger {
  deleteOldRuns(folder, now, () => runsInProgress(folder));
  try {
    return createRunLedger(folder, id);
  } catch (error) {
    if (!(error instanceof StorageFailure) || error.problem !== 'unreachable') throw error;
    const { category, message, details } = error;
    throw new Failure(category, message, {
      ...details,
      hint: "To write it elsewhere: --ledger FILE. To run without a ledger: --no-ledger (the run can't be resumed then)",
    });
  }
}

/** Creates the ledger of a dry run in a temporary file, because there may be a million rows. If that fails, creates it in memory. */
function createTemporaryLedger(): Ledger {
  try {
    return new Ledger(join(createTemporaryFolder('plan').path, 'plan.sqlite'));
  } catch (error) {
    if (error instanceof Failure) return new Ledger(':memory:');
    throw error;
  }
}

function createLedgerInFile(file: RunFlags['ledger'], flags: RunFlags): Ledger {
  if (!file) return new Ledger(':memory:');
  removeReplaceable(file, flags.out === undefined ? '--ledger' : '--out');
  const ledger = openOrCreate(file);
  const existingRunId = ledger.property('id');
  if (existingRunId === undefined) return ledger;
  if (flags.out !== undefined && isUnsent(ledger)) {
    ledger.discard();
    return createLedgerInFile(file, flags);
  }
  const resumeRun = boh.forProfile(profileOf(ledger), 'runs resume', file);
  ledger.close();
  throw usage(`${file} is the ledger of another run, ${existingRunId}.`, {
    hint: boh.hint`To resume that run: ${resumeRun}. For a new run, choose a file that doesn't exist.`,
  });
}

/** Opens or creates a ledger. If it can't be created completely, for example on a full disk, no file remains. */
function openOrCreate(file: string): Ledger {
  const isNew = !existsSync(file);
  try {
    return new Ledger(file).acquireLock();
  } catch (error) {
    if (isNew) removeLedgerFiles(file);
    throw error;
  }
}

/** Removes an empty file, as mktemp creates it. Throws if it is any other file, such as a price list. */
function removeReplaceable(file: string, flag: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats || isSqliteFile(file)) return;
  if (!stats.isFile() || stats.size > 0) {
    const fileKind = flag === '--out' ? 'saved plan' : 'ledger';
    throw usage(`${flag} ${file}: this file isn't a ${fileKind}.`, {
      hint: "Choose a file that doesn't exist.",
    });
  }
  rmSync(file);
}
