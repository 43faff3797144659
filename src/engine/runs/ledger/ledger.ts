/** Implements the ledger of a run: every row with its requests and its outcome, in a file. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { outcomeDelayMs } from '../../../account/session/observed-writes.ts';
import { Failure } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { removeFile } from '../../../base/storage/create.ts';
import type { Database } from '../../../base/storage/database.ts';
import { isBusy, StorageFailure } from '../../../base/storage/failures.ts';
import { type FileLock, lockFile } from '../../../base/storage/file-lock.ts';
import { openFile, removeForeignLog } from '../../../base/storage/open.ts';
import { scrub } from '../../../base/storage/scrub.ts';
import { ledgerFormat } from './format.ts';
import { findRowsWithId, LedgerReader } from './ledger-reader.ts';
import {
  cellsOf,
  insertStatements,
  type LedgerRow,
  type NewRow,
  type RowChange,
  type RowError,
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
  /** The path of its ledger, if it has one. */
  ledger?: string | undefined;
  /** The fingerprint of its rows, which is the same in two runs of the same rows. */
  rows?: string | undefined;
}

/** The locks of the resources that a run writes (`../account-lock.ts`). */
export interface Locks {
  /** The processes that were waited for. */
  waitedFor: readonly LockHolder[];
  /** Records the path of the ledger, from which the next process sees what this process sent. */
  recordLedger(file: string): void;
  /** Releases the locks. With `hasPendingRequests`, the next process first waits until they have arrived. */
  release(options?: { hasPendingRequests: boolean }): void;
}

/** Reads and writes the ledger of a run. */
export class Ledger extends LedgerReader {
  readonly file: string;
  readonly #database: Database;
  #lock: FileLock | undefined;
  #locks: Locks | undefined;
  #id: string | undefined;
  readonly #watermark = new DurableWatermark((to) =>
    this.#database.writeDurably(() => this.setProperty(watermarkProperty, to)),
  );
  readonly #pending = new PendingChanges(() => this.write(() => undefined));
  readonly #properties: RunProperties;

  /** Opens a ledger; `:memory:` stores it in memory. */
  constructor(file: string) {
    super();
    this.file = file;
    removeForeignLog(file, "SELECT value FROM facts WHERE name = 'id'");
    this.#database = openFile(file, ledgerFormat(file));
    this.#properties = new RunProperties(this.#database);
  }

  /** Returns whether the ledger is stored in a file. */
  get isOnDisk(): boolean {
    return this.file !== ':memory:';
  }

  /** Locks the ledger, so that no other process executes the run. Throws if another process has the lock. */
  acquireLock(): this {
    if (!this.isOnDisk) return this;
    try {
      this.#lock = lockFile(ledgerFormat(this.file));
      return this;
    } catch (error) {
      this.close();
      if (!isBusy(error)) throw error;
      const hint = boh.hint`To show its progress: ${boh.plain('runs list')}`;
      const message = `Another process is using this run (${this.file}).`;
      throw new Failure('unavailable', message, { hint, cause: error });
    }
  }

  /** Returns whether another process executes the run, or waits to do so. */
  isBusy(): boolean {
    try {
      lockFile(ledgerFormat(this.file)).release();
      return false;
    } catch (error) {
      if (isBusy(error)) return true;
      throw error;
    }
  }

  /** Takes over the locks of the run. They are released when the ledger is closed, if not earlier. */
  takeOverLocks(locks: Locks): void {
    this.#locks = locks;
    if (this.isOnDisk) locks.recordLedger(resolve(this.file));
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
    return this.#pending.flushWith((changes) =>
      this.#database.write(() => {
        for (const [seq, change] of changes) this.#update(seq, change);
        return work();
      }),
    );
  }

  /** Changes a row with the next write, or within milliseconds. If the change is lost, the row's outcome is reconciled. */
  changeLater(seq: number, change: RowChange): void {
    this.#pending.add(seq, change);
  }

  protected override get database(): Database {
    this.#pending.flush();
    return this.#database;
  }

  /** Returns the rows whose record has this ID, of any resource, and the rows whose response contained it. */
  rowsWithId(id: string): LedgerRow[] {
    return findRowsWithId(this.#database, this.unwritten, this.references, id);
  }

  protected override get unwritten(): ReadonlyMap<number, RowChange> {
    return this.#pending.byRow;
  }

  override get references(): SecretReferences {
    return this.#properties.references;
  }

  get id(): string | undefined {
    this.#id ??= this.property('id') as string | undefined;
    return this.#id;
  }

  property(name: string): unknown {
    return this.#properties.get(name);
  }

  setProperty(name: string, value: unknown): void {
    this.#properties.set(name, value);
  }

  /** Records rows as sent before they are sent. The durable watermark, which survives a power failure, is moved first. */
  writeAhead(rows: readonly Pick<LedgerRow, 'seq' | 'tries'>[], sentAt: number): void {
    this.#watermark.advanceTo(Math.max(...rows.map(({ seq }) => seq)));
    this.write(() => {
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
      "UPDATE progress SET state = 'unknown', error = ? WHERE state = 'planned' AND seq <= ?",
      JSON.stringify(error),
      watermark,
    );
  }

  /** Records the last start of the machine when the run begins or is resumed. */
  recordBoot(): void {
    this.setProperty('boot', bootId() ?? null);
  }

  add(rows: readonly NewRow[]): void {
    if (rows.length === 0) return;
    this.clearCache();
    this.write(() => {
      let lastSeq = Number(this.#database.get('SELECT max(seq) AS last_seq FROM rows')?.last_seq ?? 0);
      const seqs = rows.map(({ seq = lastSeq + 1 }) => {
        lastSeq = Math.max(lastSeq, seq);
        return seq;
      });
      for (const statement of [insertStatements.rows, insertStatements.progress]) {
        const toCells = (row: NewRow) => cellsOf(statement, row, this.references, newRowDefaults);
        const cells = rows.map((row, index) => [seqs[index] ?? null, ...toCells(withValidIds(row))]);
        this.#database.runEach(statement.sql, cells);
      }
    });
  }

  /** Removes a row while the run is planned. */
  remove(seq: number): void {
    this.clearCache();
    this.write(() => {
      for (const table of ['rows', 'progress'] as const)
        this.#database.run(`DELETE FROM ${table} WHERE seq = ?`, seq);
    });
  }

  change(seq: number, change: RowChange): void {
    this.write(() => this.#update(seq, withValidIds(change)));
  }

  #update(seq: number, change: RowChange): void {
    this.clearCache();
    for (const statement of updateStatements(change))
      this.#database.run(statement.sql, ...cellsOf(statement, change, this.references), seq);
  }

  /** Removes the contents of rows and returns their number; `scrub` removes the bytes. Unsent rows are never sent. */
  forget(matches: (row: LedgerRow) => boolean): number {
    const matchingRows = [...this.rows(...rowStates)].filter(matches);
    const error: RowError = { category: 'usage', message: 'Its content was deleted by boh history forget.' };
    const cleared = { key: null, match: null, intent: null, steps: null, changes: null, raw: null, id: null };
    if (matchingRows.length === 0) return 0;
    this.write(() => {
      this.setProperty(unscrubbedProperty, true);
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
    this.database.close();
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
    if (this.isOnDisk) removeFile(this.file);
  }
}

const secretsProperty = 'known_secrets';

/** Reads and writes the properties of a ledger, in its table `facts`. */
class RunProperties {
  readonly #database: Database;
  /** The references to secrets in everything that the ledger contains. */
  readonly references = new SecretReferences(
    () => this.#read(secretsProperty) as StoredSecrets | undefined,
    (stored) => this.#write(secretsProperty, stored),
  );

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the value of a property; undefined if it was never set. */
  get(name: string): unknown {
    return this.references.fillInValue(this.#read(name));
  }

  set(name: string, value: unknown): void {
    this.#write(name, this.references.hideInValue(value));
  }

  #read(name: string): unknown {
    const row = this.#database.get('SELECT value FROM facts WHERE name = ?', name);
    return row === undefined ? undefined : JSON.parse(String(row.value));
  }

  #write(name: string, value: unknown): void {
    this.#database.run(
      'INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      name,
      JSON.stringify(value),
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

/** The changes that aren't in the file yet, possibly because the disk is full. `write` writes all of them. */
class PendingChanges {
  /** The changes of each row, by its sequence number. */
  #changes = new Map<number, RowChange>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  readonly #write: () => void;

  constructor(write: () => void) {
    this.#write = write;
  }

  get byRow(): ReadonlyMap<number, RowChange> {
    return this.#changes;
  }

  /** Adds a change, which is written with the next write or within milliseconds. */
  add(seq: number, change: RowChange): void {
    if (this.#isStopped) return;
    this.#changes.set(seq, { ...this.#changes.get(seq), ...change });
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.flush();
    }, outcomeDelayMs);
  }

  /**
   * Writes the changes, if there are any. If the disk is full they stay pending: the next batch of rows stops the run.
   */
  flush(): void {
    if (this.#changes.size === 0) return;
    try {
      this.#write();
    } catch (error) {
      if (!(error instanceof StorageFailure)) throw error;
    }
  }

  /** Passes the changes to `work`, which writes them. If it fails, they stay pending. */
  flushWith<T>(work: (changes: ReadonlyMap<number, RowChange>) => T): T {
    const changes = this.#changes;
    this.#changes = new Map();
    try {
      return work(changes);
    } catch (error) {
      const newChanges = this.#changes;
      this.#changes = changes;
      for (const [seq, change] of newChanges) this.#changes.set(seq, { ...changes.get(seq), ...change });
      throw error;
    }
  }

  /** Stops the timer when the ledger is closed. Rows whose requests are still in progress stay recorded as sent. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
