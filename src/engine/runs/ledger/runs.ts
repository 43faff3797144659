/** Finds and creates the ledgers of runs, and deletes old ones. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { accountFolders } from '../../../account/session/account.ts';
import { ownerName } from '../../../account/session/file-owner.ts';
import { formatTimestamp } from '../../../api/contract/date-time.ts';
import type { Environment } from '../../../base/environment.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import { StorageFailure, systemErrorCode, toStorageError } from '../../../base/storage/failures.ts';
import { lockFileSuffix } from '../../../base/storage/file-lock.ts';
import { ledgerFormat } from './format.ts';
import { Ledger } from './ledger.ts';
import { ownerOfRun } from './owner.ts';
import { isRunId } from './run-id.ts';

/** The summary of a run that `boh runs list` prints. */
export interface RunSummary {
  id: string;
  /** The time in UTC, `YYYY-MM-DD HH:MM:SS`. */
  started_at: string;
  /** The command, such as `customers import`. */
  command: string;
  /** The file that the rows came from. */
  source: string | null;
  /**
   * The state of the run. `planned`: nothing was sent yet. `unfinished`: it can be resumed. `finished`: it has ended.
   */
  state: 'planned' | 'unfinished' | 'finished';
  profile: string | null;
  /**
   * The business that the run was sent to, or the URL of the service if it is unknown; null if nothing was sent.
   */
  account: string | null;
  rows: number;
  done: number;
  failed: number;
  unknown: number;
  to_go: number;
}

/**
 * The number of days after which runs are deleted: plans that were never begun, finished runs, and runs that can be
 * resumed.
 */
const retentionDays = { planned: 1, finished: 30, unfinished: 180 };

export function runsFolder(accountFolder: string): string {
  return join(accountFolder, 'runs');
}

/** Returns the file of the ledger of a run, wherever it is. Throws `not_found` if it isn't a run ID. */
export function ledgerFile(accountFolder: string, id: string): string {
  if (!isRunId(id)) throw runNotFound(id);
  const file = join(runsFolder(accountFolder), `${id}.sqlite`);
  const pointer = pointerFile(accountFolder, id);
  return !existsSync(file) && existsSync(pointer) ? readFileSync(pointer, 'utf8') : file;
}

/** Returns the file in the folder of runs that contains the path of a ledger which is a file of the user. */
function pointerFile(accountFolder: string, id: string): string {
  return join(runsFolder(accountFolder), `${id}.path`);
}

/**
 * Makes a run known whose ledger is a file of the user, such as a saved plan. Throws `usage` if the run was begun before:
 * its ledger is then another copy of the file.
 */
export function registerRun(accountFolder: string, ledger: Ledger): void {
  const { id, isOnDisk, file } = ledger;
  const folder = runsFolder(accountFolder);
  if (id === undefined || !isOnDisk || dirname(resolve(file)) === folder) return;
  const pointer = pointerFile(accountFolder, id);
  try {
    makeFolder(folder, { mode: 0o700 });
    writeFileSync(pointer, resolve(file), { flag: isUnsent(ledger) ? 'wx' : 'w', mode: 0o600 });
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') refuseBegun(accountFolder, ledger);
    const failure = toStorageError(error, ledgerFormat(pointer));
    // A folder that can't be written is a reason to choose a file of one's own.
    if (!(failure instanceof StorageFailure) || failure.problem !== 'unreachable') throw failure;
  }
}

/** Makes a plan unknown again whose run could not begin, for example on a full disk. */
export function unregisterUnsent(accountFolder: string, ledger: Ledger): void {
  if (ledger.id !== undefined && isUnsent(ledger))
    rmSync(pointerFile(accountFolder, ledger.id), { force: true });
}

/** Throws `usage` if a run of a saved plan was begun on this machine, from this file or from a copy. */
export function refuseBegun(accountFolder: string, { id, file }: Ledger): void {
  if (id === undefined || !existsSync(pointerFile(accountFolder, id))) return;
  throw usage(`The plan ${file} was already applied. Nothing was sent.`, {
    hint: boh.hint`To show the results: ${boh.account('runs show', id)}. To apply the same changes again, plan again.`,
  });
}

export function createRunLedger(accountFolder: string, id: string): Ledger {
  return new Ledger(ledgerFile(accountFolder, id)).acquireLock();
}

export interface NewRun {
  id: string;
  /**
   * The name by which `runs resume` finds the run: its ID, or the file of its ledger; null if the ledger is in memory.
   */
  name: string | null;
  command: string;
  /** The file or other source of the rows. */
  source: string | null;
  now: Date;
}

/** Records a run that is about to be planned in its ledger. */
export function recordNewRun(ledger: Ledger, { now, ...run }: NewRun): void {
  const properties = {
    ...run,
    started_at: formatTimestamp(now),
    since: now.getTime(),
    state: 'planned',
  };
  ledger.write(() => {
    for (const [name, value] of Object.entries(properties)) ledger.setProperty(name, value);
  });
}

/** Opens the ledger of a run. Throws `not_found` if the run doesn't exist. */
export function openRun(accountFolder: string, id: string): Ledger {
  const file = ledgerFile(accountFolder, id);
  if (!existsSync(file)) throw runNotFound(id);
  const ledger = new Ledger(file);
  if (ledger.id === undefined || ledger.id === id) return ledger;
  // A file of the user was replaced by another plan.
  ledger.close();
  throw new StorageFailure('moved', ledgerFormat(file));
}

/** Reads the ledger of a run and closes it. If it can't be read, calls `onProblem` and returns undefined. */
export function readRun<Read>(
  accountFolder: string,
  id: string,
  read: (ledger: Ledger) => Read,
  onProblem: (problem: Failure) => void = () => {},
): Read | undefined {
  try {
    const ledger = openRun(accountFolder, id);
    try {
      return read(ledger);
    } finally {
      ledger.close();
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    onProblem(error);
    return undefined;
  }
}

/** A run, and the folder of the account to which it belongs. */
export interface RunLocation {
  folder: string;
  id: string;
}

/** Returns the runs of all accounts on this machine, newest first. */
export function listAllRuns(env: Environment): RunLocation[] {
  const runs = accountFolders(env).flatMap((folder) => listRunIds(folder).map((id) => ({ folder, id })));
  return runs.sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** Opens the ledger of a run of any account. Throws `not_found` if the run doesn't exist. */
export function openAnyRun(env: Environment, id: string): Ledger {
  const folder = listAllRuns(env).find((run) => run.id === id)?.folder;
  if (folder === undefined) throw runNotFound(id);
  return openRun(folder, id);
}

export function listRunIds(accountFolder: string): string[] {
  const folder = runsFolder(accountFolder);
  if (!existsSync(folder)) return [];
  const ids = readdirSync(folder).flatMap((name) => /^(.+)\.(?:sqlite|path)$/.exec(name)?.[1] ?? []);
  return [...new Set(ids)]
    .filter((id) => isRunId(id) && existsSync(ledgerFile(accountFolder, id)))
    .sort()
    .reverse();
}

export function summarizeRun(ledger: Ledger): RunSummary {
  const [done, failed] = [ledger.count('done'), ledger.count('failed', 'bad')];
  const [unknown, toGo] = [ledger.count('unknown', 'sent'), ledger.count('planned')];
  const owner = ownerOfRun(ledger);
  // A process that was killed while it created the ledger has stored none of them.
  const textOf = (name: string) => String(ledger.property(name) ?? 'unknown');
  return {
    id: textOf('id'),
    started_at: textOf('started_at'),
    command: textOf('command'),
    source: (ledger.property('source') as string | null) ?? null,
    state: (ledger.property('state') as RunSummary['state'] | undefined) ?? 'planned',
    profile: (ledger.property('profile') as string | null) ?? null,
    account: owner ? ownerName(owner) : null,
    rows: ledger.count(),
    done,
    failed,
    unknown,
    to_go: toGo,
  };
}

/** Returns whether the run hasn't sent anything, so that its plan may be saved. */
export function isUnsent(ledger: Ledger): boolean {
  return ledger.property('state') === 'planned';
}

/** Returns whether any request of a run has succeeded. */
export function hasDoneRows(ledger: Ledger): boolean {
  return Object.entries(ledger.counts()).some(
    ([name, count]) => count > 0 && name.endsWith(' done') && name !== 'skip done',
  );
}

/** Deletes old ledgers of an account, except those of `keptRuns`. A ledger that can't be read is kept, and so is a file of the user. */
export function deleteOldRuns(
  accountFolder: string,
  now: Date,
  keptRuns: () => readonly string[] = () => [],
): void {
  const folder = runsFolder(accountFolder);
  const ageOf = (file: string) =>
    (now.getTime() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now.getTime())) / 86_400_000;
  for (const id of listRunIds(accountFolder)) {
    const [file, pointer] = [join(folder, `${id}.sqlite`), pointerFile(accountFolder, id)];
    if (ageOf(pointer) > retentionDays.unfinished) rmSync(pointer, { force: true });
    const days = ageOf(file);
    if (days <= retentionDays.planned) continue;
    const state = stateIn(file);
    const isOld = days > retentionDays.finished && state === 'finished';
    const isDue = days > retentionDays.unfinished || isOld || state === 'planned';
    if (isDue && !keptRuns().includes(id)) {
      removeLedgerFiles(file);
    }
  }
}

/** Deletes a ledger that isn't open, with the files beside it. */
export function removeLedgerFiles(file: string): void {
  for (const part of ['', '-wal', '-shm', lockFileSuffix]) rmSync(file + part, { force: true });
}

function stateIn(file: string): unknown {
  try {
    const ledger = new Ledger(file);
    try {
      return ledger.property('state');
    } finally {
      ledger.close();
    }
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

function runNotFound(id: string): Failure {
  return new Failure('not_found', `Run ${id} not found.`, {
    hint: boh.hint`To list runs: ${boh.plain('runs list')}`,
  });
}

/** The run or write that an undo run undoes. */
export interface Undoing {
  /** The ID of a run, or the number of a history entry. */
  takesBack: string;
  /** Whether the undone run is itself an undo, so that this run is a redo. */
  isRedo: boolean;
}

const undoingProperty = 'undoing';

export function recordUndoing(ledger: Ledger, undoing: Undoing): void {
  ledger.setProperty(undoingProperty, undoing);
}

/** Returns the run or write that this run undoes; undefined if it isn't an undo. */
export function undoingOf(ledger: Ledger): Undoing | undefined {
  return (ledger.property(undoingProperty) as Undoing | null | undefined) ?? undefined;
}

/** How long the service may still process a request after the process that sent it has ended, in ms. */
export const reconcileAfterMs = 3000;

/** Opens the ledger of a run; undefined if it can't be read: the run then can't be resumed either. */
export function openReadableRun(accountFolder: string, id: string): Ledger | undefined {
  try {
    return openRun(accountFolder, id);
  } catch (error) {
    if (error instanceof StorageFailure) return undefined;
    throw error;
  }
}
