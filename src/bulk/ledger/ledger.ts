/** The ledger of a run: every row with what is to be done and what became of it, in a file that outlasts the process. */
import { chmodSync } from 'node:fs';
import { Failure } from '../../errors.ts';
import { removeFile } from '../../storage/create.ts';
import type { Cell, Database } from '../../storage/database.ts';
import { isBusy } from '../../storage/failures.ts';
import { type Hold, hold, holdSuffix } from '../../storage/hold.ts';
import { openFile } from '../../storage/open.ts';
import { ledgerForm } from './form.ts';
import { bootId, Horizon } from './horizon.ts';
import {
  cellsFor,
  type LedgerRow,
  type NewRow,
  type RowChange,
  type RowError,
  type RowState,
  rowIn,
  type Step,
  type Table,
} from './row.ts';

export type Counts = Readonly<Record<string, number>>;

const joined = 'progress JOIN rows USING (seq)';
const both = `SELECT * FROM ${joined}`;
/** What sending needs: the rest of a row is for those who show it. */
const toSend = `SELECT progress.*, line, key, steps FROM ${joined}`;

/** Rows that are read at a time: no more of them are held in memory. */
const stretch = 500;

/** How long a change is left for later, in milliseconds. */
const soon = 50;

export class Ledger {
  readonly file: string;
  readonly #database: Database;
  #hold: Hold | undefined;
  #horizon: Horizon | undefined;
  #later: { seq: number; change: RowChange }[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `:memory:` is a ledger that is gone with the process. */
  constructor(file: string) {
    this.file = file;
    this.#database = openFile(file, ledgerForm(file));
    // It holds what is in the records, and is for nobody else; what SQLite keeps beside it has the same rights.
    if (this.isKept) chmodSync(file, 0o600);
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
      throw new Failure('unavailable', `Another process is busy with this run (${this.file}).`, {
        hint: 'See how far it is: boh runs list',
        cause: error,
      });
    }
  }

  /** Everything that the work writes, or nothing; with it what was left for later. */
  write<T>(work: () => T): T {
    return this.#database.write(() => {
      this.#catchUp();
      return work();
    });
  }

  /**
   * A change that may be lost with the process: what a row has come to. The row is of unknown outcome then, and is
   * looked up. It is written with the next change, or within moments.
   */
  changeLater(seq: number, change: RowChange): void {
    this.#later.push({ seq, change });
    this.#timer ??= setTimeout(() => this.write(() => undefined), soon);
  }

  #catchUp(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { seq, change } of this.#later.splice(0)) this.#update(seq, change);
  }

  fact(name: string): unknown {
    const row = this.#database.get('SELECT value FROM facts WHERE name = ?', name);
    return row === undefined ? undefined : JSON.parse(String(row.value));
  }

  setFact(name: string, value: unknown): void {
    this.#database.run(
      'INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      name,
      JSON.stringify(value),
    );
  }

  /** To be told before a row is sent. What is done is written so that it outlasts the process; this, a power cut. */
  reach(seq: number): void {
    this.#horizon ??= new Horizon((to) => {
      this.#database.writeForGood(() => this.setFact('horizon', to));
    });
    this.#horizon.reach(seq);
  }

  /** After a power cut the newest writes may be gone: rows that may have been sent are of unknown outcome then. */
  recover(): void {
    const horizon = this.fact('horizon');
    const boot = bootId();
    if (typeof horizon !== 'number' || (boot !== undefined && boot === this.fact('boot'))) return;
    const error: RowError = {
      category: 'unavailable',
      message: 'Whether it was sent before the machine stopped is not known.',
    };
    this.#database.run(
      "UPDATE progress SET state = 'unknown', error = ? WHERE state = 'planned' AND seq <= ?",
      JSON.stringify(error),
      horizon,
    );
  }

  /** A run begins, or goes on, on the machine as it is now. */
  begin(): void {
    this.setFact('boot', bootId() ?? null);
  }

  add(rows: readonly NewRow[]): void {
    this.write(() => {
      for (const row of rows) {
        const seq = this.#insert('rows', row);
        this.#insert('progress', { step: 0, tries: 0, ...row }, seq);
      }
    });
  }

  #insert(table: Table, row: RowChange, seq?: number): number {
    const entries: [string, Cell][] = [
      ...(seq === undefined ? [] : [['seq', seq] as [string, Cell]]),
      ...cellsFor(table, row),
    ];
    return this.#database.insert(
      `INSERT INTO ${table} (${entries.map(([name]) => name).join(', ')}) VALUES (${marksFor(entries)})`,
      ...entries.map(([, cell]) => cell),
    );
  }

  change(seq: number, change: RowChange): void {
    this.write(() => this.#update(seq, change));
  }

  #update(seq: number, change: RowChange): void {
    for (const table of ['rows', 'progress'] as const) {
      const entries = cellsFor(table, change);
      if (entries.length === 0) continue;
      this.#database.run(
        `UPDATE ${table} SET ${entries.map(([name]) => `${name} = ?`).join(', ')} WHERE seq = ?`,
        ...entries.map(([, cell]) => cell),
        seq,
      );
    }
  }

  /** In their order, whatever becomes of them while they are walked through. */
  *rows(...states: RowState[]): Generator<LedgerRow> {
    for (const some of this.stretches(...states)) yield* some;
  }

  /** Those that are planned, without what shows what they change. */
  *rowsToSend(): Generator<LedgerRow> {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const found = this.#some(['planned'], after, toSend);
      yield* found;
      after = found.at(-1)?.seq;
    }
  }

  /** The same, some at a time. */
  *stretches(...states: RowState[]): Generator<LedgerRow[]> {
    for (let after = 0; ; ) {
      const found = this.#some(states, after);
      const last = found.at(-1);
      if (last === undefined) return;
      yield found;
      after = last.seq;
    }
  }

  /** Rows that wait for a record with one of these marks. */
  matching(marks: readonly string[], ...states: RowState[]): LedgerRow[] {
    const found = this.#database.all(
      `${both} WHERE match IN (${marksFor(marks)}) AND state IN (${marksFor(states)}) ORDER BY progress.seq`,
      ...marks,
      ...states,
    );
    return found.map(rowIn);
  }

  hasMarks(): boolean {
    return this.#database.get('SELECT 1 FROM rows WHERE match IS NOT NULL LIMIT 1') !== undefined;
  }

  /** Marks that more than one row has, with the lines of those. */
  repeated(): { match: string; rows: { seq: number; line: number | null }[] }[] {
    const marks = this.#database.all(
      `SELECT match FROM ${joined} WHERE match IS NOT NULL AND state != 'bad' GROUP BY match HAVING count(*) > 1`,
    );
    return marks.map(({ match }) => ({
      match: String(match),
      rows: this.#database
        .all(`SELECT seq, line FROM ${joined} WHERE match = ? AND state != 'bad' ORDER BY seq`, String(match))
        .map(({ seq, line }) => ({ seq: Number(seq), line: line === null ? null : Number(line) })),
    }));
  }

  /** Whether a row is known to be the record with this id. */
  hasId(id: string): boolean {
    if (this.#later.length > 0) this.write(() => undefined);
    return this.#database.get('SELECT 1 FROM progress WHERE id = ? LIMIT 1', id) !== undefined;
  }

  count(...states: RowState[]): number {
    if (this.#later.length > 0) this.write(() => undefined);
    const where = states.length === 0 ? '' : ` WHERE state IN (${marksFor(states)})`;
    return Number(this.#database.get(`SELECT count(*) AS count FROM progress${where}`, ...states)?.count);
  }

  /** By action and state: `create planned`. */
  counts(): Counts {
    if (this.#later.length > 0) this.write(() => undefined);
    const rows = this.#database.all(
      'SELECT action, state, count(*) AS count FROM progress GROUP BY action, state',
    );
    return Object.fromEntries(rows.map(({ action, state, count }) => [`${action} ${state}`, Number(count)]));
  }

  /** Every kind of request that the rows still need, each once. */
  stepsToCome(): Pick<Step, 'resource' | 'verb'>[] {
    const found = this.#database.all(
      `SELECT DISTINCT json_extract(step.value, '$.resource') AS resource, json_extract(step.value, '$.verb') AS verb
       FROM ${joined}, json_each(rows.steps) AS step WHERE state IN ('planned', 'sent', 'unknown')`,
    );
    return found.map(({ resource, verb }) => ({ resource: String(resource), verb: String(verb) }));
  }

  /** Requests that are still to be sent. */
  stepsToGo(): number {
    if (this.#later.length > 0) this.write(() => undefined);
    const row = this.#database.get(
      `SELECT sum(json_array_length(steps) - step) AS count FROM ${joined} WHERE state = 'planned'`,
    );
    return Number(row?.count ?? 0);
  }

  close(): void {
    if (this.#later.length > 0) this.write(() => undefined);
    const isOver = this.#hold !== undefined && this.fact('state') === 'finished';
    this.#database.close();
    this.#hold?.release();
    this.#hold = undefined;
    // Nobody will wait for a run that is over.
    if (isOver) removeFile(this.file + holdSuffix);
  }

  /** For a run of which nothing was sent: there is nothing to go on with. */
  discard(): void {
    this.close();
    if (!this.isKept) return;
    removeFile(this.file);
    removeFile(this.file + holdSuffix);
  }

  #some(states: readonly RowState[], after: number, select = both): LedgerRow[] {
    if (this.#later.length > 0) this.write(() => undefined);
    const found = this.#database.all(
      `${select} WHERE progress.seq > ? AND state IN (${marksFor(states)}) ORDER BY progress.seq LIMIT ${stretch}`,
      after,
      ...states,
    );
    return found.map(rowIn);
  }
}

function marksFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
