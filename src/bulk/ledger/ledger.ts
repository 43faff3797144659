/** The ledger of a run: every row with what is to be done and what became of it, in a file that outlasts the process. */
import { type Category, Failure } from '../../errors.ts';
import { removeFile } from '../../storage/create.ts';
import type { Cell, Database, Row as DatabaseRow } from '../../storage/database.ts';
import { isBusy } from '../../storage/failures.ts';
import { type Hold, hold, holdSuffix } from '../../storage/hold.ts';
import { openFile } from '../../storage/open.ts';
import { ledgerForm } from './form.ts';
import { bootId, Horizon } from './horizon.ts';

export type Action = 'create' | 'update' | 'delete' | 'restore' | 'link' | 'unlink' | 'skip';

/**
 * read: as the file has it · bad: can't be done, and was not tried · planned: to be sent · sent: on its way ·
 * done · failed: the service refused it · unknown: it may have been carried out
 */
export type RowState = 'read' | 'bad' | 'planned' | 'sent' | 'done' | 'failed' | 'unknown';

/** One request of a row. */
export interface Step {
  /** By the API's own name. */
  resource: string;
  verb: string;
  /** `ownId` stands for the id that a step before has made. */
  ids: readonly string[];
  /** Without secrets: those come from the file. */
  body?: Readonly<Record<string, unknown>> | undefined;
}

export const ownId = '$id';

export interface RowError {
  category: Category;
  message: string;
  [detail: string]: unknown;
}

export interface LedgerRow {
  seq: number;
  /** Of the file; none where the rows came from a filter. */
  line: number | null;
  /** What people know the row by: the values of its key. */
  key: string | null;
  state: RowState;
  action: Action | null;
  id: string | null;
  /** By which an existing record is known as the row's. */
  match: string | null;
  intent: unknown;
  steps: readonly Step[];
  /** How many of them are done. */
  step: number;
  /** Field by field: what it is and what it will be. */
  changes: Readonly<Record<string, readonly [unknown, unknown]>> | null;
  error: RowError | null;
  /** When it was last sent, in milliseconds since 1970. */
  sentAt: number | null;
  tries: number;
  /** As it stands in the file, without secrets. */
  raw: string | null;
}

export type NewRow = Pick<LedgerRow, 'line' | 'key' | 'state'> & Partial<LedgerRow>;

/** What is written of a row that changes. */
export type RowChange = Partial<Omit<LedgerRow, 'seq' | 'line'>>;

export type Counts = Readonly<Record<string, number>>;

/** Rows that are read at a time: no more of them are held in memory. */
const stretch = 500;

export class Ledger {
  readonly file: string;
  readonly #database: Database;
  #hold: Hold | undefined;
  #horizon: Horizon | undefined;

  /** `:memory:` is a ledger that is gone with the process. */
  constructor(file: string) {
    this.file = file;
    this.#database = openFile(file, ledgerForm(file));
  }

  /** Keeps it to this process for as long as that lives: two must never carry out one run. Throws where another has it. */
  keep(): this {
    if (this.file === ':memory:') return this;
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

  /** Everything that the work writes, or nothing. */
  write<T>(work: () => T): T {
    return this.#database.write(work);
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
      "UPDATE rows SET state = 'unknown', error = ? WHERE state = 'planned' AND seq <= ?",
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
        const entries = cellsOf(row);
        this.#database.run(
          `INSERT INTO rows (${entries.map(([name]) => name).join(', ')}) VALUES (${entries.map(() => '?').join(', ')})`,
          ...entries.map(([, cell]) => cell),
        );
      }
    });
  }

  change(seq: number, change: RowChange): void {
    const entries = cellsOf(change);
    this.#database.run(
      `UPDATE rows SET ${entries.map(([name]) => `${name} = ?`).join(', ')} WHERE seq = ?`,
      ...entries.map(([, cell]) => cell),
      seq,
    );
  }

  /** In their order, whatever becomes of them while they are walked through. */
  *rows(...states: RowState[]): Generator<LedgerRow> {
    for (let after = 0; ; ) {
      const found = this.#some(states, after);
      for (const row of found) yield row;
      const last = found.at(-1);
      if (last === undefined) return;
      after = last.seq;
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
      `SELECT * FROM rows WHERE match IN (${marksFor(marks)}) AND state IN (${marksFor(states)}) ORDER BY seq`,
      ...marks,
      ...states,
    );
    return found.map(rowIn);
  }

  /** Marks that more than one row has, with the lines of those. */
  repeated(): { match: string; rows: { seq: number; line: number | null }[] }[] {
    const marks = this.#database.all(
      "SELECT match FROM rows WHERE match IS NOT NULL AND state != 'bad' GROUP BY match HAVING count(*) > 1",
    );
    return marks.map(({ match }) => ({
      match: String(match),
      rows: this.#database
        .all("SELECT seq, line FROM rows WHERE match = ? AND state != 'bad' ORDER BY seq", String(match))
        .map(({ seq, line }) => ({ seq: Number(seq), line: line === null ? null : Number(line) })),
    }));
  }

  /** Whether a row is known to be the record with this id. */
  hasId(id: string): boolean {
    return this.#database.get('SELECT 1 FROM rows WHERE id = ? LIMIT 1', id) !== undefined;
  }

  count(...states: RowState[]): number {
    const where = states.length === 0 ? '' : ` WHERE state IN (${marksFor(states)})`;
    return Number(this.#database.get(`SELECT count(*) AS count FROM rows${where}`, ...states)?.count);
  }

  /** By action and state: `create planned`. */
  counts(): Counts {
    const rows = this.#database.all(
      'SELECT action, state, count(*) AS count FROM rows GROUP BY action, state',
    );
    return Object.fromEntries(rows.map(({ action, state, count }) => [`${action} ${state}`, Number(count)]));
  }

  /** Requests that are still to be sent. */
  stepsToGo(): number {
    const row = this.#database.get(
      "SELECT sum(json_array_length(steps) - step) AS count FROM rows WHERE state = 'planned'",
    );
    return Number(row?.count ?? 0);
  }

  close(): void {
    this.#database.close();
    this.#hold?.release();
    this.#hold = undefined;
  }

  /** For a run of which nothing was sent: there is nothing to go on with. */
  discard(): void {
    this.close();
    if (this.file === ':memory:') return;
    removeFile(this.file);
    removeFile(this.file + holdSuffix);
  }

  #some(states: readonly RowState[], after: number): LedgerRow[] {
    const found = this.#database.all(
      `SELECT * FROM rows WHERE seq > ? AND state IN (${marksFor(states)}) ORDER BY seq LIMIT ${stretch}`,
      after,
      ...states,
    );
    return found.map(rowIn);
  }
}

const asJson = ['intent', 'steps', 'changes', 'error'] as const;

function cellsOf(row: RowChange): [string, Cell][] {
  return Object.entries(row).map(([name, value]) => [
    name === 'sentAt' ? 'sent_at' : name,
    value === null || value === undefined
      ? null
      : asJson.some((json) => json === name)
        ? JSON.stringify(value)
        : (value as Cell),
  ]);
}

function rowIn(row: DatabaseRow): LedgerRow {
  const json = (name: string) => (row[name] == null ? null : JSON.parse(String(row[name])));
  return {
    seq: Number(row.seq),
    line: row.line === null ? null : Number(row.line),
    key: row.key === null ? null : String(row.key),
    state: row.state as RowState,
    action: row.action as Action | null,
    id: row.id === null ? null : String(row.id),
    match: row.match === null ? null : String(row.match),
    intent: json('intent'),
    steps: json('steps') ?? [],
    step: Number(row.step),
    changes: json('changes'),
    error: json('error'),
    sentAt: row.sent_at === null ? null : Number(row.sent_at),
    tries: Number(row.tries),
    raw: row.raw === null ? null : String(row.raw),
  };
}

function marksFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
