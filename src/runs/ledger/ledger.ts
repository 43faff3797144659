/** The ledger of a run: every row with what is to be done and its outcome, in a file that outlives the process. */

import { resolve } from 'node:path';
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { removeFile } from '../../storage/create.ts';
import type { Database } from '../../storage/database.ts';
import { isBusy, StorageFailure } from '../../storage/failures.ts';
import { type FileLock, lockFile, lockFileSuffix } from '../../storage/file-lock.ts';
import type { LockHolder, Locks } from '../../storage/lock-queue.ts';
import { openFile } from '../../storage/open.ts';
import { scrub } from '../../storage/scrub.ts';
import { bootId, DurableWatermark } from './durable-watermark.ts';
import { Facts } from './facts.ts';
import { ledgerFormat } from './form.ts';
import { type LedgerLoss, NotedWriteAheads } from './loss.ts';
import { PendingChanges } from './pending-changes.ts';
import { LedgerReading } from './reading.ts';
import type { LedgerRow, NewRow, RowChange, RowError } from './row.ts';
import { cellsOf, insertInto, updatesFor } from './row.ts';
import { rowsWithId } from './rows-with-id.ts';
import type { SecretReferences } from './secret-references.ts';

/** The values of a new row. */
const atFirst = { step: 0, tries: 0 };

/** The fact that contains the durable watermark, under the name that earlier builds gave it. */
const watermarkFact = 'horizon';

/** The fact that bytes of forgotten rows may be left in the file. */
const unscrubbed = 'unscrubbed';

const rowStates = ['read', 'bad', 'planned', 'sent', 'done', 'failed', 'unknown'] as const;

/** Reads and writes the ledger of a run. */
export class Ledger extends LedgerReading {
  readonly file: string;
  readonly #database: Database;
  #lock: FileLock | undefined;
  #locks: Locks | undefined;
  #id: string | undefined;
  readonly #watermark = new DurableWatermark((to) =>
    this.#database.writeDurably(() => this.setFact(watermarkFact, to)),
  );
  readonly #pending = new PendingChanges(() => this.write(() => undefined));
  readonly #writeAheads: NotedWriteAheads | undefined;
  readonly #facts: Facts;

  /** Opens a ledger; `:memory:` ends with the process. Without a `headFile`, losses aren't detected. */
  constructor(file: string, headFile?: string) {
    super();
    this.file = file;
    this.#database = openFile(file, ledgerFormat(file));
    this.#facts = new Facts(this.#database);
    this.#writeAheads = headFile === undefined ? undefined : new NotedWriteAheads(this, headFile);
  }

  /** Returns what the ledger has lost since rows were last recorded as sent; its file was damaged or replaced. */
  loss(): LedgerLoss | undefined {
    return this.#writeAheads?.loss();
  }

  /** Returns whether the ledger outlives the process. */
  get isKept(): boolean {
    return this.file !== ':memory:';
  }

  /** Locks the ledger for this process, as two must never carry out one run. Throws if another has the lock. */
  keep(): this {
    if (!this.isKept) return this;
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

  /** Returns whether another process carries the run out, or waits to. */
  isBusy(): boolean {
    try {
      lockFile(ledgerFormat(this.file)).release();
      return false;
    } catch (error) {
      if (isBusy(error)) return true;
      throw error;
    }
  }

  /** Takes over the locks of the run: they are released when the ledger is closed, if not earlier. */
  takeOverLocks(locks: Locks): void {
    this.#locks = locks;
    if (this.isKept) locks.noteLedger(resolve(this.file));
  }

  unlock(): void {
    this.#locks?.release({ hasPendingRequests: this.#isUnsettled() });
    this.#locks = undefined;
  }

  #isUnsettled(): boolean {
    return this.#locks !== undefined && this.count('sent', 'unknown') > 0;
  }

  /** Returns the runs that had the locks before and that this run waited for. */
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

  /** Changes a row with the next write or within ms. If that is lost, its outcome is unknown and is looked up. */
  changeLater(seq: number, change: RowChange): void {
    this.#pending.add(seq, change);
  }

  protected override get database(): Database {
    this.#pending.flush();
    return this.#database;
  }

  /** Returns the rows whose record has this id, of any resource, and the rows that were answered with it. */
  rowsWithId(id: string): LedgerRow[] {
    return rowsWithId(this.#database, this.unwritten, this.references, id);
  }

  protected override get unwritten(): ReadonlyMap<number, RowChange> {
    return this.#pending.byRow;
  }

  override get references(): SecretReferences {
    return this.#facts.references;
  }

  /** Returns the id of the run. */
  get id(): string | undefined {
    this.#id ??= this.fact('id') as string | undefined;
    return this.#id;
  }

  fact(name: string): unknown {
    return this.#facts.get(name);
  }

  setFact(name: string, value: unknown): void {
    this.#facts.set(name, value);
  }

  /** Records rows as sent before they are sent. The durable watermark, which survives a power cut, is moved first. */
  writeAhead(rows: readonly Pick<LedgerRow, 'seq' | 'tries'>[], sentAt: number): void {
    const highest = Math.max(...rows.map(({ seq }) => seq));
    this.#watermark.reach(highest);
    const note = this.write(() => {
      for (const { seq, tries } of rows) this.#update(seq, { state: 'sent', sentAt, tries: tries + 1 });
      return this.#writeAheads?.count(highest);
    });
    note?.();
  }

  /** Sets rows that may have been sent to unknown if the ledger has lost their outcome. */
  recoverLost(): void {
    const loss = this.loss();
    if (!loss) return;
    this.#unknownUpTo(loss.sentUpTo, 'The ledger no longer shows whether it was sent.');
    this.#writeAheads?.acceptLoss();
  }

  /** Sets rows that may have been sent to unknown after a power cut, which may have lost the newest writes. */
  recover(): void {
    const watermark = this.fact(watermarkFact);
    const boot = bootId();
    if (typeof watermark !== 'number' || (boot !== undefined && boot === this.fact('boot'))) return;
    this.#unknownUpTo(watermark, 'It is unknown whether it was sent before the machine stopped.');
  }

  #unknownUpTo(seq: number, message: string): void {
    this.noteChange();
    const error: RowError = { category: 'unavailable', message };
    this.#database.run(
      "UPDATE progress SET state = 'unknown', error = ? WHERE state = 'planned' AND seq <= ?",
      JSON.stringify(error),
      seq,
    );
  }

  /** Records that the run begins or is resumed since the last start of the machine. */
  begin(): void {
    this.setFact('boot', bootId() ?? null);
  }

  add(rows: readonly NewRow[]): void {
    if (rows.length === 0) return;
    this.noteChange();
    this.write(() => {
      let last = Number(this.#database.get('SELECT max(seq) AS last FROM rows')?.last ?? 0);
      const places = rows.map(({ seq = last + 1 }) => {
        last = Math.max(last, seq);
        return seq;
      });
      for (const statement of [insertInto.rows, insertInto.progress]) {
        const own = (row: NewRow) => cellsOf(statement, row, this.references, atFirst);
        const cells = (row: NewRow, at: number) => [places[at] ?? null, ...own(row)];
        this.#database.runEach(statement.sql, rows.map(cells));
      }
    });
  }

  /** Removes a row while the run is planned. */
  remove(seq: number): void {
    this.noteChange();
    this.write(() => {
      for (const table of ['rows', 'progress'] as const)
        this.#database.run(`DELETE FROM ${table} WHERE seq = ?`, seq);
    });
  }

  change(seq: number, change: RowChange): void {
    this.write(() => this.#update(seq, change));
  }

  #update(seq: number, change: RowChange): void {
    this.noteChange();
    for (const statement of updatesFor(change))
      this.#database.run(statement.sql, ...cellsOf(statement, change, this.references), seq);
  }

  /** Removes the contents of rows and returns how many; `scrub` removes the bytes. Unsent rows are never sent. */
  forget(isMeant: (row: LedgerRow) => boolean): number {
    const meant = [...this.rows(...rowStates)].filter(isMeant);
    const error: RowError = { category: 'usage', message: 'Its content was deleted by boh history forget.' };
    const nothing = { key: null, match: null, intent: null, steps: null, changes: null, raw: null, id: null };
    if (meant.length === 0) return 0;
    this.write(() => {
      this.setFact(unscrubbed, true);
      for (const { seq, state } of meant) {
        const isOver = state === 'done' || state === 'bad' || state === 'failed';
        const ended = isOver ? { error: null } : ({ state: 'failed', error } as const);
        this.#update(seq, { ...nothing, ...ended } as unknown as RowChange);
      }
    });
    return meant.length;
  }

  /** Returns whether `isMeant` returns true for any row, in whatever state. */
  mentions(isMeant: (row: LedgerRow) => boolean): boolean {
    return this.rows(...rowStates).some(isMeant);
  }

  /** Removes forgotten contents from the bytes of the file. Throws if other processes use the file. */
  async scrub(): Promise<void> {
    if (this.fact(unscrubbed) !== true) return;
    await scrub(this.#database);
    this.setFact(unscrubbed, false);
  }

  close(): void {
    const { isOver, isUnsettled } = this.#atEnd();
    this.#pending.stop();
    this.database.close();
    this.#lock?.release();
    this.#lock = undefined;
    // No process waits for a run that is over or was not begun.
    if (isOver) removeFile(this.file + lockFileSuffix);
    // The next process may look into the ledger now.
    this.#locks?.release({ hasPendingRequests: isUnsettled });
    this.#locks = undefined;
  }

  #atEnd(): { isOver: boolean; isUnsettled: boolean } {
    try {
      const isOver = this.#lock !== undefined && this.fact('state') !== 'unfinished';
      return { isOver, isUnsettled: this.#isUnsettled() };
    } catch (error) {
      // A ledger that can't be read may have rows that were sent.
      if (!(error instanceof StorageFailure)) throw error;
      return { isOver: false, isUnsettled: this.#locks !== undefined };
    }
  }

  /** Deletes the ledger of a run of which nothing was sent: there is nothing to resume. */
  discard(): void {
    this.close();
    if (!this.isKept) return;
    removeFile(this.file);
    removeFile(this.file + lockFileSuffix);
  }
}
