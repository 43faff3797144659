/** The ledger of a run: every row with what is to be done and what became of it, in a file that outlasts the process. */
import { resolve } from 'node:path';
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { removeFile } from '../../storage/create.ts';
import type { Database } from '../../storage/database.ts';
import { isBusy, StorageFailure } from '../../storage/failures.ts';
import { type Hold, hold, holdSuffix } from '../../storage/hold.ts';
import type { LockHolder, Locks } from '../../storage/lock-queue.ts';
import { openFile } from '../../storage/open.ts';
import { bootId, DurableWatermark } from './durable-watermark.ts';
import { Facts } from './facts.ts';
import { ledgerForm } from './form.ts';
import { type LedgerLoss, NotedWriteAheads } from './loss.ts';
import { PendingChanges } from './pending-changes.ts';
import { LedgerReading } from './reading.ts';
import type { LedgerRow, NewRow, RowChange, RowError } from './row.ts';
import { cellsOf, insertInto, updatesFor } from './row.ts';
import { rowsWithId } from './rows-with-id.ts';
import type { SecretReferences } from './secret-references.ts';

/** What a row is that nothing was done of yet. */
const atFirst = { step: 0, tries: 0 };

/** The fact that holds the durable watermark, under the name that earlier builds gave it. */
const watermarkFact = 'horizon';

/** The fact that bytes of what was forgotten may be left in the file. */
const unscrubbed = 'unscrubbed';

const rowStates = ['read', 'bad', 'planned', 'sent', 'done', 'failed', 'unknown'] as const;

export class Ledger extends LedgerReading {
  readonly file: string;
  readonly #database: Database;
  #hold: Hold | undefined;
  #locks: Locks | undefined;
  #id: string | undefined;
  readonly #watermark = new DurableWatermark((to) =>
    this.#database.writeForGood(() => this.setFact(watermarkFact, to)),
  );
  readonly #pending = new PendingChanges(() => this.write(() => undefined));
  readonly #writeAheads: NotedWriteAheads | undefined;
  readonly #facts: Facts;

  /** `:memory:` is a ledger that is gone with the process. Without a `headFile` nothing of a loss is known. */
  constructor(file: string, headFile?: string) {
    super();
    this.file = file;
    this.#database = openFile(file, ledgerForm(file));
    this.#facts = new Facts(this.#database);
    this.#writeAheads = headFile === undefined ? undefined : new NotedWriteAheads(this, headFile);
  }

  /** Returns what it has lost since rows were last recorded as sent: its file was damaged, or replaced by an older copy. */
  loss(): LedgerLoss | undefined {
    return this.#writeAheads?.loss();
  }

  /** Whether it outlasts the process. */
  get isKept(): boolean {
    return this.file !== ':memory:';
  }

  /** Keeps it to this process for as long as that lives: two must never carry out one run. Throws where another has it. */
  keep(): this {
    if (!this.isKept) return this;
    try {
      this.#hold = hold(ledgerForm(this.file));
      return this;
    } catch (error) {
      this.close();
      if (!isBusy(error)) throw error;
      const hint = boh.hint`To see its progress: ${boh.plain('runs list')}`;
      const message = `Another process is busy with this run (${this.file}).`;
      throw new Failure('unavailable', message, { hint, cause: error });
    }
  }

  /** Whether another process carries it out, or waits to. */
  isBusy(): boolean {
    try {
      hold(ledgerForm(this.file)).release();
      return false;
    } catch (error) {
      if (isBusy(error)) return true;
      throw error;
    }
  }

  /** The locks of its run go with it: they are released when it is closed, if not before. */
  lockedBy(locks: Locks): void {
    this.#locks = locks;
    if (this.isKept) locks.noteLedger(resolve(this.file));
  }

  unlock(): void {
    this.#locks?.release({ isUnsettled: this.#isUnsettled() });
    this.#locks = undefined;
  }

  #isUnsettled(): boolean {
    return this.#locks !== undefined && this.count('sent', 'unknown') > 0;
  }

  /** Runs that had the locks before, and were waited for. */
  get waitedFor(): readonly LockHolder[] {
    return this.#locks?.waitedFor ?? [];
  }

  /** Everything that the work writes, or nothing; with it the changes that wait. */
  write<T>(work: () => T): T {
    return this.#pending.writtenBy((changes) =>
      this.#database.write(() => {
        for (const [seq, change] of changes) this.#update(seq, change);
        return work();
      }),
    );
  }

  /** What a row has come to: written with the next change, or within moments. Lost, it is unknown, and looked up. */
  changeLater(seq: number, change: RowChange): void {
    this.#pending.add(seq, change);
  }

  protected override get database(): Database {
    this.#pending.flush();
    return this.#database;
  }

  /** Rows that are the record with this id, of whatever resource, or were answered with it. */
  rowsWithId(id: string): LedgerRow[] {
    return rowsWithId(this.#database, this.unwritten, this.references, id);
  }

  protected override get unwritten(): ReadonlyMap<number, RowChange> {
    return this.#pending.byRow;
  }

  override get references(): SecretReferences {
    return this.#facts.references;
  }

  /** Of the run that it is for. */
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

  /**
   * Records rows as sent before they leave, in one transaction that outlasts the process. The durable watermark is moved
   * first, which outlasts a power cut.
   */
  writeAhead(rows: readonly Pick<LedgerRow, 'seq' | 'tries'>[], sentAt: number): void {
    const highest = Math.max(...rows.map(({ seq }) => seq));
    this.#watermark.reach(highest);
    const note = this.write(() => {
      for (const { seq, tries } of rows) this.#update(seq, { state: 'sent', sentAt, tries: tries + 1 });
      return this.#writeAheads?.count(highest);
    });
    note?.();
  }

  /** Rows that may have been sent are of unknown outcome where the ledger has lost what it knew of them. */
  recoverLost(): void {
    const loss = this.loss();
    if (!loss) return;
    this.#unknownUpTo(loss.sentUpTo, 'The ledger has lost whether it was sent.');
    this.#writeAheads?.goOn();
  }

  /** After a power cut the newest writes may be gone: rows that may have been sent are of unknown outcome then. */
  recover(): void {
    const watermark = this.fact(watermarkFact);
    const boot = bootId();
    if (typeof watermark !== 'number' || (boot !== undefined && boot === this.fact('boot'))) return;
    this.#unknownUpTo(watermark, 'Whether it was sent before the machine stopped is not known.');
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

  /** A run begins, or goes on, on the machine as it is now. */
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

  /** A row that turned out to be none, while the run is planned. */
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

  /** Takes out what rows say; those that were still to be sent never are. Answers how many. For good with `scrub`. */
  forget(isMeant: (row: LedgerRow) => boolean): number {
    const meant = [...this.rows(...rowStates)].filter(isMeant);
    const error: RowError = { category: 'usage', message: 'What it was is forgotten.' };
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

  /** Whether any row is meant, whatever its state. */
  mentions(isMeant: (row: LedgerRow) => boolean): boolean {
    return this.rows(...rowStates).some(isMeant);
  }

  /** Takes what was forgotten out of the bytes of the file. Throws where it is still there, as others use it. */
  async scrub(): Promise<void> {
    if (this.fact(unscrubbed) !== true) return;
    const { scrub } = await import('../../storage/scrub.ts');
    await scrub(this.#database);
    this.setFact(unscrubbed, false);
  }

  close(): void {
    const { isOver, isUnsettled } = this.#atEnd();
    this.#pending.stop();
    this.database.close();
    this.#hold?.release();
    this.#hold = undefined;
    // No one waits for a run that is over, or was not begun.
    if (isOver) removeFile(this.file + holdSuffix);
    // Whoever comes next may look into it.
    this.#locks?.release({ isUnsettled });
    this.#locks = undefined;
  }

  #atEnd(): { isOver: boolean; isUnsettled: boolean } {
    try {
      const isOver = this.#hold !== undefined && this.fact('state') !== 'unfinished';
      return { isOver, isUnsettled: this.#isUnsettled() };
    } catch (error) {
      // What can't be read may have rows on their way.
      if (!(error instanceof StorageFailure)) throw error;
      return { isOver: false, isUnsettled: this.#locks !== undefined };
    }
  }

  /** For a run of which nothing was sent: there is nothing to go on with. */
  discard(): void {
    this.close();
    if (!this.isKept) return;
    removeFile(this.file);
    removeFile(this.file + holdSuffix);
  }
}
