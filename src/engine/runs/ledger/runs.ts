/** Finds and creates the ledgers of runs, and deletes old ones. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { accountFolders } from '../../../account/session/account.ts';
import { ownerName } from '../../../account/session/file-owner.ts';
import { formatTimestamp } from '../../../api/contract/date-time.ts';
import type { Environment } from '../../../base/environment.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import type { Database } from '../../../base/storage/database.ts';
import { StorageFailure } from '../../../base/storage/failures.ts';
import { logFile, openLog } from '../log.ts';
import { ledgerFormat } from './format.ts';
import { deleteLoggedRun, Ledger, type LoggedRun } from './ledger.ts';
import { ownerOfRun } from './owner.ts';
import { isRunId, startTimeOf } from './run-id.ts';

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
  remaining: number;
}

/**
 * The number of days after which runs are deleted: plans that were never begun, finished runs, and runs that can be
 * resumed.
 */
const retentionDays = { planned: 1, finished: 30, unfinished: 180 };

/** Calls `work` with the log of an account; returns undefined if the account has none. */
function withLog<T>(accountFolder: string, work: (database: Database) => T): T | undefined {
  const file = logFile(accountFolder);
  if (!existsSync(file)) return undefined;
  const log = openLog(file);
  try {
    return work(log.database);
  } finally {
    log.close();
  }
}

/** A run that the log knows; `file` is the ledger of a run that has a file of its own. */
interface KnownRun extends LoggedRun {
  file: string | null;
}

function knownRun(accountFolder: string, id: string): KnownRun | undefined {
  const find = (database: Database) => database.get('SELECT run, id, file FROM runs WHERE id = ?', id);
  return withLog(accountFolder, find) as KnownRun | undefined;
}

/** Returns whether the account has the ledger of a run. */
export function hasRun(accountFolder: string, id: string): boolean {
  return listRunIds(accountFolder).includes(id);
}

/**
 * Makes a run known whose ledger is a file of the user, such as a saved plan. Throws `usage` if the run was begun before:
 * its ledger is then another copy of the file.
 */
export function registerRun(accountFolder: string, ledger: Ledger): void {
  const { id, isOnDisk, isInLog, file } = ledger;
  if (id === undefined || !isOnDisk || isInLog) return;
  if (isUnsent(ledger)) refuseBegun(accountFolder, ledger);
  try {
    const log = openLog(logFile(accountFolder));
    try {
      log.database.run(
        'INSERT INTO runs (id, file) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET file = excluded.file',
        ...[id, resolve(file)],
      );
    } finally {
      log.close();
    }
  } catch (error) {
    // A folder that can't be written is a reason to choose a file of one's own.
    if (!(error instanceof StorageFailure) || error.problem !== 'unreachable') throw error;
  }
}

/** Makes a plan unknown again whose run could not begin, for example on a full disk. */
export function unregisterUnsent(accountFolder: string, ledger: Ledger): void {
  const { id, isInLog } = ledger;
  if (id === undefined || isInLog || !isUnsent(ledger)) return;
  withLog(accountFolder, (database) => database.run('DELETE FROM runs WHERE id = ?', id));
}

/** Throws `usage` if a run of a saved plan was begun on this machine, from this file or from a copy. */
export function refuseBegun(accountFolder: string, { id, file }: Ledger): void {
  if (id === undefined || !knownRun(accountFolder, id)) return;
  throw usage(`The plan ${file} was already applied. Nothing was sent.`, {
    hint: boh.hint`To show the results: ${boh.account('runs show', id)}. To apply the same changes again, plan again.`,
  });
}

/** Creates the ledger of a new run in the log of an account, with the rows of a plan if there is one. */
export function createRunLedger(accountFolder: string, id: string, plan?: Ledger): Ledger {
  addRun(accountFolder, id, plan);
  return openRun(accountFolder, id).acquireLock();
}

/** Adds a run to the log of an account, with the rows of a plan if there is one. */
export function addRun(accountFolder: string, id: string, plan?: Ledger): void {
  const log = openLog(logFile(accountFolder));
  try {
    log.database.writeDurably(() => {
      log.database.run('INSERT INTO runs (id) VALUES (?)', id);
      if (!plan) return;
      const ledger = openRun(accountFolder, id);
      plan.copyTo(ledger);
      ledger.close();
    });
  } finally {
    log.close();
  }
}

/** Deletes a run from the log of an account, if it exists. */
export function deleteRun(accountFolder: string, id: string): void {
  const known = knownRun(accountFolder, id);
  if (known) withLog(accountFolder, (database) => deleteLoggedRun(database, known.run));
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
  const known = knownRun(accountFolder, id);
  if (known?.file === null) return new Ledger(logFile(accountFolder), known);
  if (!known || !existsSync(known.file)) throw runNotFound(id);
  const { file } = known;
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

/** Returns the runs of an account whose ledgers exist, newest first. */
export function listRunIds(accountFolder: string): string[] {
  const list = (database: Database) => database.all('SELECT id, file FROM runs ORDER BY id DESC');
  return (withLog(accountFolder, list) ?? [])
    .filter(({ file }) => file === null || existsSync(String(file)))
    .map(({ id }) => String(id))
    .filter(isRunId);
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
    remaining: toGo,
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

/** Deletes old runs of an account, except those of `keptRuns`. A ledger in a file of the user is kept. */
export function deleteOldRuns(
  accountFolder: string,
  now: Date,
  keptRuns: () => readonly string[] = () => [],
): void {
  withLog(accountFolder, (database) => {
    const runs = database.all(
      `SELECT run, id, file, value AS state FROM runs LEFT JOIN facts USING (run) WHERE name = 'state' OR file IS NOT NULL`,
    );
    for (const { run, id, file, state } of runs) {
      const days = (now.getTime() - startTimeOf(String(id))) / 86_400_000;
      const maxDays = retentionDays[JSON.parse(String(state ?? '"unfinished"')) as RunSummary['state']];
      if (!(days > (file === null ? maxDays : retentionDays.unfinished))) continue;
      if (!keptRuns().includes(String(id))) deleteLoggedRun(database, Number(run));
    }
  });
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
