/** Creates the ledger of a new run: in the folder of runs, in a named file, or in memory. */
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Resource } from '../../../api/contract/resource.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { removeFile } from '../../../base/storage/create.ts';
import { StorageFailure } from '../../../base/storage/failures.ts';
import { isSqliteFile } from '../../../base/storage/formats.ts';
import { createTemporaryFolder } from '../../../base/temporary-folder.ts';
import { profileOf } from '../end-run.ts';
import type { LimitFlags } from '../limits.ts';
import { Ledger } from './ledger.ts';
import { newRunId } from './run-id.ts';
import { createRunLedger, deleteOldRuns, isUnsent, recordNewRun } from './runs.ts';

/** The flags of a run that its ledger stores, or that say where the ledger is. */
interface LedgerFlags extends LimitFlags {
  rate?: string;
  concurrency?: string;
  between?: string;
  maxErrors?: string;
  /** False for a ledger in memory. */
  ledger?: string | false;
  /** The file of a saved plan. */
  out?: string;
}

/** Options for the ledger of a new run. */
export interface NewLedgerOptions {
  command: string;
  /** The resource that the run writes; undefined if it writes several. */
  resource?: Resource | undefined;
  /** The name of the file that the rows come from. */
  source: string | null;
  flags: LedgerFlags;
  /** Whether the ledger is kept after the command. */
  isKept: boolean;
}

/** The account of a new run, and the clock. */
export interface NewLedgerAccount {
  /** Returns the folder of the account. Called only if the ledger is in it. */
  folder(): Promise<string>;
  /** Returns the runs in a folder that are kept whatever their age. */
  keptRuns(folder: string): readonly string[];
  now: Date;
}

/** Creates the ledger of a new run. */
export async function createLedger(
  { command, resource, source, flags, isKept }: NewLedgerOptions,
  { folder, keptRuns, now }: NewLedgerAccount,
): Promise<Ledger> {
  const { out } = flags;
  if (out !== undefined && !isKept)
    throw usage("--out can't be combined with --dry-run: it saves the plan and sends nothing.");
  const id = newRunId(now);
  const file = out ?? flags.ledger;
  const isInRunsFolder = isKept && file === undefined;
  const ledger = isInRunsFolder
    ? createLedgerInRunsFolder(await folder(), id, { keptRuns, now })
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
function createLedgerInRunsFolder(
  folder: string,
  id: string,
  { keptRuns, now }: Pick<NewLedgerAccount, 'keptRuns' | 'now'>,
): Ledger {
  deleteOldRuns(folder, now, () => keptRuns(folder));
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

function createLedgerInFile(file: LedgerFlags['ledger'], flags: LedgerFlags): Ledger {
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
    if (isNew) removeFile(file);
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
