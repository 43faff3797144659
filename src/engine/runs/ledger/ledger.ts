/** Implements the ledger of a run: every row with its requests and its outcome, in a file. */

import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Failure } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { removeFile } from '../../../base/storage/create.ts';
import type { Database } from '../../../base/storage/database.ts';
import { isBusy, StorageFailure } from '../../../base/storage/failures.ts';
import { type FileLock, lockFile } from '../../../base/storage/file-lock.ts';
import { openFile, removeForeignLog } from '../../../base/storage/open.ts';
import { scrub } from '../../../base/storage/scrub.ts';
import { openLog } from '../log.ts';
import { ledgerFormat } from './format.ts';
import { LedgerReader } from './ledger-reader.ts';
import { PendingChanges } from './pending-changes.ts';
import {
  cellsOf,
  insertStatements,
  type LedgerRow,
  type NewRow,
  type RowChange,
  type RowError,
  runTables,
  updateStatements,
  withValidIds,
} from './row.ts';
import { SecretReferences, type StoredSecrets } from './secret-references.ts';

const newRowDefaults = { step: 0, tries: 0 };

const watermarkProperty = 'watermark';

/** The property that is true while the file may contain bytes of forgotten rows. */
const unscrubbedProperty = 'unscrubbed';

const rowStates = ['read', 'bad', 'planned', 'sent', 'done', 'failed', 'unknown'] as const;

/** The process that has or had a lock. */
export interface LockHolder {
  pid: number;
  /** The time of its request, in milliseconds since 1970. */
  since: number;
  /** The command that it runs: `customers import`. */
  command: string;
  /** The names of the resources that it locks together. */
  resources: readonly string[];
  /** The path of its ledger, if it has one; `run` is the ID of the run in a log. */
  ledger?: string | undefined;
  run?: string | undefined;
  /** The fingerprint of its rows, which is the same in two runs of the same rows. */
  rows?: string | undefined;
}

/** The locks of the resources that a run writes (`../account-lock.ts`). */
export interface Locks {
  /** The processes that were waited for. */
  waitedFor: readonly LockHolder[];
  /** Records the path of the ledger, from which the next process sees what this process sent. */
  recordLedger(ledger: Pick<LockHolder, 'ledger' | 'run'>): void;
  /** Releases the locks. With `hasPendingRequests`, the next process first waits until they have arrived. */
  release(options?: { hasPendingRequests: boolean }): void;
}

/** A run in the log of an account. */
export interface LoggedRun {
  run: number;
  id: string;
}

/** Reads and writes the ledger of a run: in the log of an account, in a file of its own, or in memory. */
export class Ledger extends LedgerReader {
  /** The file of the ledger or the log; `:memory:` for a ledger in memory. */
  readonly file: string;
  readonly run: number;
  readonly #logged: LoggedRun | undefined;
  readonly #database: Database;
  readonly #closeDatabase: () => void;
  #lock: FileLock | undefined;
  #locks: Locks | undefined;
  #id: string | undefined;
  readonly #watermark = new DurableWatermark((to) =>
    this.#database.writeDurably(() => this.setProperty(watermarkProperty, to)),
  );
  readonly #pending = new PendingChanges(() => this.write(() => undefined));
  readonly #properties: RunProperties;

  /** Opens the ledger of a run in a log, or a ledger in a file of its own. `:memory:` stores it in memory. */
  constructor(file: string, logged?: LoggedRun) {
    super();
    this.file = file;
    this.#logged = logged;
    this.run = logged?.run ?? 0;
    if (logged) {
      const log = openLog(file);
      this.#database = log.database;
      this.#closeDatabase = log.close;
    } else {
      removeForeignLog(file, "SELECT value FROM facts WHERE name = 'id'");
      const database = openFile(file, ledgerFormat(file));
      this.#database = database;
      this.#closeDatabase = () => database.close();
    }
    this.#properties = new RunProperties(this.#database, this.run);
  }

  /** Returns whether the ledger is stored in a file. */
  get isOnDisk(): boolean {
    return this.file !== ':memory:';
  }

  /** Returns whether the ledger is in the log of an account. */
  get isInLog(): boolean {
    return this.#logged !== undefined;
  }

  /** Returns the file that is locked with the run. */
  get #lockedFile() {
    const file = this.#logged ? join(dirname(this.file), 'runs', this.#logged.id) : this.file;
    return { ...ledgerFormat(this.file), file };
  }

  /** Locks the ledger, so that no other process executes the run. Throws if another process has the lock. */
  acquireLock(): this {
    if (!this.isOnDisk) return this;
    try {
      this.#lock = lockFile(this.#lockedFile);
      return this;
    } catch (error) {
      this.close();
      if (!isBusy(error)) throw error;
      const hint = boh.hint`To show its progress: ${boh.plain('runs list')}`;
      const message = `Another process is using this run (${this.#logged?.id ?? this.file}).`;
      throw new Failure('unavailable', message, { hint, cause: error });
    }
  }

  /** Returns whether another process executes the run, or waits to do so. */
  isBusy(): boolean {
    try {
      lockFile(this.#lockedFile).release();
      return false;
    } catch (error) {
      if (isBusy(error)) return true;
      throw error;
    }
  }

  /** Takes over the locks of the run. They are released when the ledger is closed, if not earlier. */
  takeOverLocks(locks: Locks): void {
    this.#locks = locks;
    if (this.isOnDisk) locks.recordLedger({ ledger: resolve(this.file), run: this.#logged?.id });
  }

  /** Releases the locks of the run, and reports whether requests may still be in progress. */
  unlock(): void {
    this.#locks?.release({ hasPendingRequests: this.#hasPendingRequests() });
    this.#locks = undefined;
  }

  #hasPendingRequests(): boolean {
    return this.#locks !== undefined && this.count('sent', 'unknown') > 0;
  }

  /** Returns the runs that this run waited for because they had the locks. */
  get waitedFor(): readonly LockHolder[] {
    return this.#locks?.waitedFor ?? [];
  }

  /** Writes everything that `work` writes together with the pending changes, or nothing. */
  write<T>(work: () => T): T {
    return this.#pending.flushWith((changes, recordOutcomes) =>
      this.#database.write(() => {
        recordOutcomes();
        for (const [seq, change] of changes) this.#update(seq, change);
        return work();
      }),
    );
  }

  /**
   * Changes a row with the next write, or within milliseconds; `record` records the outcome in the same transaction. If the
   * change is lost, the row's outcome is reconciled.
   */
  changeLater(seq: number, change: RowChange, record?: () => void): void {
    this.#pending.add(seq, change, record);
  }

  /** Writes the pending changes, as far as the disk allows. */
  flush(): void {
    this.#pending.flush();
  }

  protected override get database(): Database {
    this.#pending.flush();
    return this.#database;
  }

  /** Returns the rows whose record has this ID, of any resource, and the rows whose response contained it. */
  rowsWithId(id: string): LedgerRow[] {
    return this.findRowsWithId(this.#database, id);
  }

  protected override get unwritten(): ReadonlyMap<number, RowChange> {
    return this.#pending.byRow;
  }

  override get references(): SecretReferences {
    return this.#properties.references;
  }

  get id(): string | undefined {
    this.#id ??= this.#logged?.id ?? (this.property('id') as string | undefined);
    return this.#id;
  }

  property(name: string): unknown {
    return this.#properties.get(name);
  }

  setProperty(name: string, value: unknown): void {
    this.#properties.set(name, value);
  }

  /**
   * Records rows as sent before they are sent, with the history entries that `recordEntries` records. The durable watermark,
   * which survives a power failure, is moved first.
   */
  writeAhead(
    rows: readonly Pick<LedgerRow, 'seq' | 'tries'>[],
    sentAt: number,
    recordEntries: () => void = () => undefined,
  ): void {
    this.#watermark.advanceTo(Math.max(...rows.map(({ seq }) => seq)));
    this.write(() => {
      recordEntries();
      for (const { seq, tries } of rows) this.#update(seq, { state: 'sent', sentAt, tries: tries + 1 });
    });
  }

  /** Sets rows that may have been sent to unknown after a power failure, which may have lost the newest writes. */
  recover(): void {
    const watermark = this.property(watermarkProperty);
    const boot = bootId();
    if (typeof watermark !== 'number' || (boot !== undefined && boot === this.property('boot'))) return;
    this.clearCache();
    const message = 'It is unknown whether it was sent before the machine stopped.';
    const error: RowError = { category: 'unavailable', message };
    this.#database.run(
      `UPDATE progress SET state = 'unknown', error = ? WHERE ${this.inRun} AND state = 'planned' AND seq <= ?`,
      JSON.stringify(error),
      watermark,
    );
  }

  /** Records the last start of the machine when the run begins or is resumed. */
  recordBoot(): void {
    this.setProperty('boot', bootId() ?? null);
  }

  /** Copies the rows and properties to the ledger of another run, which has none. */
  copyTo(target: Ledger): void {
    for (const [table, columns] of Object.entries(runTables)) {
      const rows = this.database.all(`SELECT ${columns.join()} FROM ${table} WHERE ${this.inRun}`);
      target.#database.runEach(
        `INSERT INTO ${table} (run, ${columns.join()}) VALUES (?${', ?'.repeat(columns.length)})`,
        rows.map((row) => [target.run, ...Object.values(row)]),
      );
    }
  }

  add(rows: readonly NewRow[]): void {
    if (rows.length === 0) return;
    this.clearCache();
    this.write(() => {
      const sql = `SELECT max(seq) AS last_seq FROM rows WHERE ${this.inRun}`;
      let lastSeq = Number(this.#database.get(sql)?.last_seq ?? 0);
      const seqs = rows.map(({ seq = lastSeq + 1 }) => {
        lastSeq = Math.max(lastSeq, seq);
        return seq;
      });
      for (const statement of [insertStatements.rows, insertStatements.progress]) {
        const toCells = (row: NewRow) => cellsOf(statement, row, this.references, newRowDefaults);
        const cells = rows.map((row, index) => [
          this.run,
          seqs[index] ?? null,
          ...toCells(withValidIds(row)),
        ]);
        this.#database.runEach(statement.sql, cells);
      }
    });
  }

  /** Removes a row while the run is planned. */
  remove(seq: number): void {
    this.clearCache();
    this.write(() => {
      for (const table of ['rows', 'progress'] as const)
        this.#database.run(`DELETE FROM ${table} WHERE ${this.inRun} AND seq = ?`, seq);
    });
  }

  change(seq: number, change: RowChange): void {
    this.write(() => this.#update(seq, withValidIds(change)));
  }

  #update(seq: number, change: RowChange): void {
    this.clearCache();
    for (const statement of updateStatements(change))
      this.#database.run(statement.sql, ...cellsOf(statement, change, this.references), this.run, seq);
  }

  /** Removes the contents of rows and returns their number; `scrub` removes the bytes. Unsent rows are never sent. */
  forget(matches: (row: LedgerRow) => boolean): number {
    const matchingRows = [...this.rows(...rowStates)].filter(matches);
    const error: RowError = { category: 'usage', message: 'Its content was deleted by boh history forget.' };
    const cleared = { key: null, match: null, intent: null, steps: null, changes: null, raw: null, id: null };
    if (matchingRows.length === 0) return 0;
    this.write(() => {
      if (!this.isInLog) this.setProperty(unscrubbedProperty, true);
      for (const { seq, state } of matchingRows) {
        const isEnded = state === 'done' || state === 'bad' || state === 'failed';
        const outcome = isEnded ? { error: null } : ({ state: 'failed', error } as const);
        this.#update(seq, { ...cleared, ...outcome } as unknown as RowChange);
      }
    });
    return matchingRows.length;
  }

  /** Returns whether `matches` returns true for any row, in any state. */
  hasRowMatching(matches: (row: LedgerRow) => boolean): boolean {
    return this.rows(...rowStates).some(matches);
  }

  /** Removes forgotten contents from the bytes of the file. Throws if other processes use the file. */
  async scrub(): Promise<void> {
    if (this.property(unscrubbedProperty) !== true) return;
    await scrub(this.#database);
    this.setProperty(unscrubbedProperty, false);
  }

  close(): void {
    const hasPendingRequests = this.#mayHavePendingRequests();
    this.#pending.stop();
    this.#pending.flush();
    this.#closeDatabase();
    this.#lock?.release();
    this.#lock = undefined;
    // The next process may read the ledger now.
    this.#locks?.release({ hasPendingRequests });
    this.#locks = undefined;
  }

  #mayHavePendingRequests(): boolean {
    try {
      return this.#hasPendingRequests();
    } catch (error) {
      // A ledger that can't be read may have rows that were sent.
      if (error instanceof StorageFailure) return true;
      throw error;
    }
  }

  /** Writes everything to the file itself, so that a copy of the file is complete. Throws if the disk is full. */
  checkpoint(): void {
    this.write(() => undefined);
    this.#database.get('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** Deletes the ledger of a run that hasn't sent anything, and can't be resumed. */
  discard(): void {
    this.close();
    if (!this.#logged) {
      if (this.isOnDisk) removeFile(this.file);
      return;
    }
    const log = openLog(this.file);
    deleteLoggedRun(log.database, this.run);
    log.close();
  }
}

/** Deletes a run from a log. */
export function deleteLoggedRun(database: Database, run: number): void {
  database.write(() => {
    for (const table of [...Object.keys(runTables), 'runs'])
      database.run(`DELETE FROM ${table} WHERE run = ?`, run);
  });
}

const secretsProperty = 'known_secrets';

/** Reads and writes the properties of a ledger, in its table `facts`. */
class RunProperties {
  readonly #database: Database;
  readonly #run: number;
  /** The references to secrets in everything that the ledger contains. */
  readonly references = new SecretReferences(
    () => this.#read(secretsProperty) as StoredSecrets | undefined,
    (stored) => this.#write(secretsProperty, stored),
  );

  constructor(database: Database, run: number) {
    this.#database = database;
    this.#run = run;
  }

  /** Returns the value of a property; undefined if it was never set. */
  get(name: string): unknown {
    return this.references.fillInValue(this.#read(name));
  }

  set(name: string, value: unknown): void {
    this.#write(name, this.references.hideInValue(value));
  }

  #read(name: string): unknown {
    const row = this.#database.get('SELECT value FROM facts WHERE run = ? AND name = ?', this.#run, name);
    return row === undefined ? undefined : JSON.parse(String(row.value));
  }

  #write(name: string, value: unknown): void {
    this.#database.run(
      'INSERT INTO facts VALUES (?, ?, ?) ON CONFLICT (run, name) DO UPDATE SET value = excluded.value',
      ...[this.#run, name, JSON.stringify(value)],
    );
  }
}

// Maintains the durable watermark of a run: the highest row that may have been sent. It is synced to the disk before
// the rows are sent.

/** Each sync covers the rows that are expected within this time in ms, because a sync takes some milliseconds. */
const coveredMs = 500;
/** The maximum number of rows that one sync covers. */
const maxRowsAhead = 2000;

/**
 * Moves the watermark ahead of the rows, so that a power failure can't hide a row that was sent. `write` syncs it to the
 * disk.
 */
class DurableWatermark {
  readonly #write: (to: number) => void;
  #watermark = 0;
  #lastSeq = 0;
  #movedAt = 0;

  constructor(write: (to: number) => void) {
    this.#write = write;
  }

  /** Moves the watermark if necessary. Call it before a row is recorded as sent. */
  advanceTo(seq: number): void {
    if (seq <= this.#watermark) return;
    const now = performance.now();
    // The watermark moves by the number of rows that were sent in that time before: one for slow services, hundreds for
    // fast ones.
    const rowsPerMs = this.#movedAt === 0 ? 0 : (seq - this.#lastSeq) / Math.max(1, now - this.#movedAt);
    const rowsAhead = Math.min(maxRowsAhead, Math.floor(rowsPerMs * coveredMs));
    this.#write(seq + rowsAhead);
    [this.#lastSeq, this.#watermark, this.#movedAt] = [seq, seq + rowsAhead, now];
  }
}

/** Returns an ID that changes each time the machine starts; undefined if the system has no such ID. */
function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}
