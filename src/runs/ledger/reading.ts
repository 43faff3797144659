/** Queries of a ledger: its rows in their order, a batch at a time, and how many there are of each kind. */
import type { Category } from '../../base/errors.ts';
import { exactJson } from '../../base/number-text.ts';
import type { Cell, Database } from '../../storage/database.ts';
import { both, joined, placeholdersFor, toSend } from './queries.ts';
import { type LedgerRow, type RowChange, type RowState, rowIn, type Step } from './row.ts';
import { referenceInJson } from './row-reference.ts';
import { formerSecretInJson, secretInJson } from './secret-mark.ts';
import type { SecretReferences } from './secret-references.ts';

/** Numbers of rows by action and state, such as `create planned`. */
export type Counts = Readonly<Record<string, number>>;

/** The states of rows of which some requests may still have to be sent. */
const isRemaining = "state IN ('planned', 'sent', 'unknown')";

/** How many rows are read into memory at a time. */
const batchRows = 500;

/** The queries of a ledger. */
export abstract class LedgerReading {
  /** The operations that are still needed, computed from all rows. */
  #toCome: readonly Pick<Step, 'resource' | 'verb'>[] | undefined;

  /** Returns the database with all changes written, as far as the disk allows. */
  protected abstract get database(): Database;

  /** Returns the changes that can't be written to the file, by sequence number. */
  protected abstract get unwritten(): ReadonlyMap<number, RowChange>;

  /** Returns the references that replace known secrets in the file. */
  abstract get references(): SecretReferences;

  /** Yields rows in their order, even if they change during the iteration. */
  *rows(...states: RowState[]): Generator<LedgerRow> {
    for (const some of this.batches(...states)) yield* some;
  }

  /** Yields the planned rows, without the members that are only displayed. */
  *rowsToSend(): Generator<LedgerRow> {
    for (const some of this.#walk(toSend, "state = 'planned'", ['planned'])) yield* some;
  }

  /** Yields rows in their order, a batch at a time. */
  batches(...states: RowState[]): Generator<LedgerRow[]> {
    return this.#walk(both, `state IN (${placeholdersFor(states)})`, states, ...states);
  }

  /** Yields the rows of one resource, a batch at a time, if a run writes to several. */
  batchesOf(resource: string, ...states: RowState[]): Generator<LedgerRow[]> {
    const where = `resource = ? AND state IN (${placeholdersFor(states)})`;
    return this.#walk(both, where, states, resource, ...states);
  }

  /** Returns whether rows have a resource of their own. */
  hasResources(): boolean {
    return this.database.get('SELECT 1 FROM rows WHERE resource IS NOT NULL LIMIT 1') !== undefined;
  }

  /** Returns how many rows of each resource there are, by action and state, in the order of the rows. */
  countsByResource(): { resource: string; action: string; state: string; count: number }[] {
    const rows = this.database.all(
      `SELECT resource, action, state, count(*) AS count FROM ${joined} WHERE resource IS NOT NULL
       GROUP BY resource, action, state ORDER BY min(progress.seq)`,
    );
    return rows.map(({ resource, action, state, count }) => ({
      resource: String(resource),
      action: String(action),
      state: String(state),
      count: Number(count),
    }));
  }

  /** Returns the rows that have one of these match keys. */
  matching(marks: readonly string[], ...states: RowState[]): LedgerRow[] {
    const found = this.database.all(
      `${both} WHERE match IN (${placeholdersFor(marks)}) AND state IN (${placeholdersFor(states)}) ORDER BY progress.seq`,
      ...marks.map((mark) => this.references.hidden(mark)),
      ...states,
    );
    return found.map((row) => rowIn(row, this.references));
  }

  /** Returns whether rows have match keys with this prefix. */
  hasMarksFrom(beginning: string): boolean {
    const sql = 'SELECT 1 FROM rows WHERE match >= ? AND match < ? LIMIT 1';
    return this.database.get(sql, beginning, `${beginning}\u{10ffff}`) !== undefined;
  }

  /** Yields the match keys with this prefix, in the order of their rows. */
  *marksFrom(beginning: string): Generator<{ seq: number; line: number | null; mark: string }> {
    const sql = `SELECT seq, line, match FROM rows WHERE seq > ? AND substr(match, 1, ?) = ? ORDER BY seq LIMIT ${batchRows}`;
    for (let after = 0; ; ) {
      const found = this.database.all(sql, after, beginning.length, beginning);
      for (const { seq, line, match } of found)
        yield {
          seq: Number(seq),
          line: line === null ? null : Number(line),
          mark: this.references.filled(String(match)),
        };
      if (found.length < batchRows) return;
      after = Number(found.at(-1)?.seq);
    }
  }

  hasMarks(): boolean {
    return this.database.get('SELECT 1 FROM rows WHERE match IS NOT NULL LIMIT 1') !== undefined;
  }

  /** Returns the match keys that more than one row has, with the lines of these rows. */
  repeated(): { match: string; rows: { seq: number; line: number | null }[] }[] {
    const marks = this.database.all(
      `SELECT match FROM ${joined} WHERE match IS NOT NULL AND state != 'bad' GROUP BY match HAVING count(*) > 1`,
    );
    return marks.map(({ match }) => ({
      match: this.references.filled(String(match)),
      rows: this.#linesWhere('match', String(match)),
    }));
  }

  row(seq: number): LedgerRow | undefined {
    const found = this.database.get(`${both} WHERE progress.seq = ?`, seq);
    return found && rowIn(found, this.references);
  }

  /** Returns the ids of records that more than one row has, with the lines of these rows. */
  shared(): { id: string; rows: { seq: number; line: number | null }[] }[] {
    const ids = this.database.all(
      "SELECT id FROM progress WHERE id IS NOT NULL AND state != 'bad' GROUP BY id HAVING count(*) > 1",
    );
    return ids.map(({ id }) => ({ id: String(id), rows: this.#linesWhere('id', String(id)) }));
  }

  /** Returns the row with the name by which others refer to it. */
  named(name: string): LedgerRow | undefined {
    const found = this.database.get(`${both} WHERE name = ?`, this.references.hidden(name));
    return found && rowIn(found, this.references);
  }

  /** Returns whether a row has the record with this id. */
  hasId(id: string): boolean {
    return this.database.get('SELECT 1 FROM progress WHERE id = ? LIMIT 1', id) !== undefined;
  }

  /** Returns when a row was last sent, in ms since 1970; 0 if none was. */
  lastSent(): number {
    return Number(this.database.get('SELECT max(sent_at) AS at FROM progress')?.at ?? 0);
  }

  /** Returns whether a row adds a record that can't be found by a key later. */
  addsUnmatched(): boolean {
    const sql = `SELECT 1 FROM ${joined} WHERE state = 'planned' AND action = 'create' AND match IS NULL LIMIT 1`;
    return this.database.get(sql) !== undefined;
  }

  count(...states: RowState[]): number {
    const where = states.length === 0 ? '' : ` WHERE state IN (${placeholdersFor(states)})`;
    const written = Number(
      this.database.get(`SELECT count(*) AS count FROM progress${where}`, ...states)?.count,
    );
    if (states.length === 0) return written;
    const isOf = (row: Pick<LedgerRow, 'state'>) => states.includes(row.state);
    return this.#changed().reduce((sum, { was, is }) => sum + Number(isOf(is)) - Number(isOf(was)), written);
  }

  /** Returns the numbers of rows by action and state: `create planned`. */
  counts(): Counts {
    const rows = this.database.all(
      'SELECT action, state, count(*) AS count FROM progress GROUP BY action, state',
    );
    const counts = new Map(rows.map(({ action, state, count }) => [`${action} ${state}`, Number(count)]));
    const add = ({ action, state }: LedgerRow, number: number) =>
      counts.set(`${action} ${state}`, (counts.get(`${action} ${state}`) ?? 0) + number);
    for (const { was, is } of this.#changed()) {
      add(was, -1);
      add(is, 1);
    }
    return Object.fromEntries(counts);
  }

  /** Returns the rows whose changes the file doesn't contain yet, before and after. */
  #changed(): { was: LedgerRow; is: LedgerRow }[] {
    return [...this.unwritten].flatMap(([seq, change]) => {
      const was = this.row(seq);
      return was ? [{ was, is: { ...was, ...change } }] : [];
    });
  }

  /** Returns whether any row refers to another one. */
  hasReferences(): boolean {
    const sql = 'SELECT 1 FROM rows WHERE instr(steps, ?) > 0 LIMIT 1';
    return this.database.get(sql, referenceInJson) !== undefined;
  }

  /** Returns every operation that the rows still need, each once. */
  remainingOperations(): readonly Pick<Step, 'resource' | 'verb'>[] {
    const { database } = this;
    this.#toCome ??= database
      .all(
        `SELECT DISTINCT json_extract(step.value, '$.resource') AS resource, json_extract(step.value, '$.verb') AS verb
         FROM ${joined}, json_each(rows.steps) AS step WHERE ${isRemaining}`,
      )
      .map(({ resource, verb }) => ({ resource: String(resource), verb: String(verb) }));
    return this.#toCome;
  }

  /** Clears what was computed from all rows. Call it when rows are added, changed or removed. */
  protected noteChange(): void {
    this.#toCome = undefined;
  }

  /** Returns the distinct values that the rows still send in one field, up to `max`. */
  valuesToSend({ resource, verb }: Pick<Step, 'resource' | 'verb'>, field: string, max: number): unknown[] {
    const found = this.database.all(
      `SELECT DISTINCT step.value -> '$.body' -> ? AS value FROM ${joined}, json_each(rows.steps) AS step
       WHERE ${isRemaining} AND step.value ->> '$.resource' = ? AND step.value ->> '$.verb' = ?
       AND step.value -> '$.body' -> ? IS NOT NULL LIMIT ${max}`,
      ...[field, resource, verb, field],
    );
    return found.map(({ value }) => exactJson(this.references.filledJson(String(value))));
  }

  /** Returns the request fields that remaining updates fill, where the record in the plan has no value. */
  namesFilled({ resource, verb }: Pick<Step, 'resource' | 'verb'>): string[] {
    const found = this.database.all(
      `SELECT DISTINCT given.key AS name FROM ${joined}, json_each(rows.steps) AS step,
         json_each(step.value, '$.body') AS given
       WHERE ${isRemaining} AND step.value ->> '$.resource' = ? AND step.value ->> '$.verb' = ?
       AND given.type != 'null' AND given.value != '' AND step.value -> '$.known' IS NOT NULL
       AND ifnull(step.value -> '$.known' ->> given.key, '') = ''
       AND (substr(given.key, -3) != '_id'
         OR ifnull(step.value -> '$.known' ->> substr(given.key, 1, length(given.key) - 3), '') = '')`,
      ...[resource, verb],
    );
    return found.map(({ name }) => String(name));
  }

  /** Returns whether remaining rows contain secrets that only their file has; `names` are the secret fields. */
  needsSecrets(names: readonly string[] = []): boolean {
    const marks = [secretInJson, ...names.map(formerSecretInJson)];
    const isMarked = marks.map(() => 'instr(steps, ?) > 0').join(' OR ');
    const sql = `SELECT 1 FROM ${joined} WHERE ${isRemaining} AND (${isMarked}) LIMIT 1`;
    return this.database.get(sql, ...marks) !== undefined;
  }

  /** Returns the reasons why rows have failed, each once. */
  reasons(): Category[] {
    const found = this.database.all(
      "SELECT DISTINCT json_extract(error, '$.category') AS category FROM progress WHERE state IN ('failed', 'bad')",
    );
    return found.map(({ category }) => category as Category);
  }

  /** Returns how many requests are still to be sent. */
  countRemainingSteps(verb?: string): number {
    const sql =
      verb === undefined
        ? `SELECT sum(json_array_length(steps) - step) AS count FROM ${joined} WHERE state = 'planned'`
        : `SELECT count(*) AS count FROM ${joined}, json_each(rows.steps) AS each
           WHERE state = 'planned' AND each.key >= step AND each.value ->> '$.verb' = ?`;
    return Number(this.database.get(sql, ...(verb === undefined ? [] : [verb]))?.count ?? 0);
  }

  /** Returns how many rows still have such a step that doesn't contain a field, by its name in requests. */
  countLacking({ resource, verb }: Pick<Step, 'resource' | 'verb'>, field: string): number {
    const row = this.database.get(
      `SELECT count(*) AS count FROM ${joined}, json_each(rows.steps) AS each
       WHERE ${isRemaining} AND each.key >= step AND each.value ->> '$.resource' = ?
       AND each.value ->> '$.verb' = ? AND each.value -> '$.body' -> ? IS NULL`,
      ...[resource, verb, field],
    );
    return Number(row?.count ?? 0);
  }

  #linesWhere(column: 'id' | 'match', value: string): { seq: number; line: number | null }[] {
    return this.database
      .all(`SELECT seq, line FROM ${joined} WHERE ${column} = ? AND state != 'bad' ORDER BY seq`, value)
      .map(({ seq, line }) => ({ seq: Number(seq), line: line === null ? null : Number(line) }));
  }

  *#walk(
    select: string,
    where: string,
    states: readonly RowState[],
    ...cells: Cell[]
  ): Generator<LedgerRow[]> {
    const sql = `${select} WHERE progress.seq > ? AND ${where} ORDER BY progress.seq LIMIT ${batchRows}`;
    for (let after = 0; ; ) {
      const found = this.database.all(sql, after, ...cells).map((row) => rowIn(row, this.references));
      const last = found.at(-1);
      if (last === undefined) return;
      const { unwritten } = this;
      const now = found
        .map((row) => (unwritten.size === 0 ? row : { ...row, ...unwritten.get(row.seq) }))
        .filter(({ state }) => states.includes(state));
      if (now.length > 0) yield now;
      after = last.seq;
    }
  }
}
