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
import { ownerOfRun } from './owner.ts';
import { newRunId } from './run-id.ts';
import { createRunLedger, deleteOldRuns, isUnsent, recordNewRun } from './runs.ts';
import { rowsMarkOf } from './same-rows.ts';

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
      ? createLedgerInFile(file, flags, { command, source })
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

/**
 * Creates a ledger in the file of a flag. The ledger of a complete run is replaced, so that a command with `--ledger` can be
 * repeated. Throws if its run is unfinished; `resumableRun` finds it before.
 */
function createLedgerInFile(file: LedgerFlags['ledger'], flags: LedgerFlags, planned: DescribedRun): Ledger {
  if (!file) return new Ledger(':memory:');
  removeReplaceable(file, flags.out === undefined ? '--ledger' : '--out');
  const ledger = openOrCreate(file);
  const existingRunId = ledger.property('id');
  if (existingRunId === undefined) return ledger;
  if (flags.out === undefined ? isComplete(ledger) : isUnsent(ledger)) {
    ledger.discard();
    return createLedgerInFile(file, flags, planned);
  }
  const failure = otherRunFailure(ledger, planned);
  ledger.close();
  throw failure;
}

/** A run in messages. */
interface DescribedRun {
  command: string;
  source: string | null;
}

/** Returns whether a run has ended, or stopped during planning, so that nothing of it is left to send. */
function isComplete(ledger: Ledger): boolean {
  return ledger.property('state') === 'finished' || ownerOfRun(ledger) === undefined;
}

function otherRunFailure(ledger: Ledger, planned: DescribedRun): Failure {
  const { id, file } = ledger;
  const describe = ({ command, source }: DescribedRun) => [command, source].filter(Boolean).join(' ');
  const stored = {
    command: String(ledger.property('command')),
    source: ledger.property('source') as string | null,
  };
  const state = isUnsent(ledger) ? 'a saved plan' : 'the ledger of an unfinished run';
  const rows = describe(stored) === describe(planned) ? ' with other rows' : '';
  return usage(`${file} is ${state}: ${describe(stored)}, run ${id}. This is ${describe(planned)}${rows}.`, {
    hint: boh.hint`To resume that run: ${boh.forProfile(profileOf(ledger), 'runs resume', file)}. For a new run, choose another file.`,
  });
}

/**
 * Returns the ID of the unfinished run in the file of `--ledger`, if the planned run has the same command and rows; undefined
 * without such a run. Throws `usage` if the rows are others. `mark` is the fingerprint of the rows.
 */
export function resumableRun(file: string, planned: DescribedRun & { mark: string }): string | undefined {
  if (!existsSync(file) || !isSqliteFile(file)) return undefined;
  const ledger = new Ledger(file);
  try {
    if (ledger.property('id') === undefined || isComplete(ledger)) return undefined;
    const isSame = ledger.property('command') === planned.command && rowsMarkOf(ledger) === planned.mark;
    if (isUnsent(ledger) || !isSame) throw otherRunFailure(ledger, planned);
    return ledger.id;
  } finally {
    ledger.close();
  }
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
