/** Reads a ledger: its rows in order, a batch at a time, and the number of rows by state and action. */
import type { Category } from '../../../base/errors.ts';
import { parseExactJson } from '../../../base/number-text.ts';
import type { Cell, Database, StoredRow } from '../../../base/storage/database.ts';
import { responseIdSql } from './format.ts';
import {
  joinedTables,
  type LedgerRow,
  placeholderInJson,
  placeholdersFor,
  type RowChange,
  type RowState,
  referenceInJson,
  type Step,
  selectRows,
  selectRowsToSend,
  toLedgerRow,
} from './row.ts';
import type { SecretReferences } from './secret-references.ts';

/** The number of rows by action and state, such as `create planned`. */
export type Counts = Readonly<Record<string, number>>;

/** The SQL condition for rows that may have requests to send. */
const remainingCondition = "state IN ('planned', 'sent', 'unknown')";

/** The join of both tables for rows with a value. Without the index, SQLite would read all rows of the run. */
const joinedBy = {
  match: 'rows INDEXED BY rows_by_match JOIN progress USING (run, seq)',
  id: 'progress INDEXED BY progress_by_id JOIN rows USING (run, seq)',
};

/** The number of rows that are read into memory at a time. */
const batchRows = 500;

/** Reads the rows of a ledger. `Ledger` adds the writes. */
export abstract class LedgerReader {
  /** The operations that are still needed, computed from all rows. */
  #remainingOperations: readonly Pick<Step, 'resource' | 'verb'>[] | undefined;

  /** The number of the run in its file. */
  abstract readonly run: number;

  /** Returns the database with all changes written, as far as the disk allows. */
  protected abstract get database(): Database;

  /** Returns the changes that can't be written to the file, by sequence number. */
  protected abstract get unwritten(): ReadonlyMap<number, RowChange>;

  /** Returns the references that replace known secrets in the file. */
  abstract get references(): SecretReferences;

  /** Yields rows in order, even if they change during the iteration. */
  *rows(...states: RowState[]): Generator<LedgerRow> {
    for (const batch of this.batches(...states)) yield* batch;
  }

  /** Yields the planned rows, without the members that are only displayed. */
  *rowsToSend(): Generator<LedgerRow> {
    for (const batch of this.#readBatches(selectRowsToSend, "state = 'planned'", ['planned'])) yield* batch;
  }

  /** Yields rows in order, a batch at a time. */
  batches(...states: RowState[]): Generator<LedgerRow[]> {
    return this.#readBatches(selectRows, `state IN (${placeholdersFor(states)})`, states, ...states);
  }

  /** Yields the rows of one resource, a batch at a time, if a run writes to several. */
  batchesOf(resource: string, ...states: RowState[]): Generator<LedgerRow[]> {
    const where = `resource = ? AND state IN (${placeholdersFor(states)})`;
    return this.#readBatches(selectRows, where, states, resource, ...states);
  }

  /** Returns whether any row has a resource other than that of the run. */
  hasResources(): boolean {
    return (
      this.database.get(`SELECT 1 FROM rows WHERE ${this.inRun} AND resource IS NOT NULL LIMIT 1`) !==
      undefined
    );
  }

  /** Returns the number of rows by resource, action and state, in the order of the rows. */
  countsByResource(): { resource: string; action: string; state: string; count: number }[] {
    const rows = this.database.all(
      `SELECT resource, action, state, count(*) AS count FROM ${joinedTables} WHERE ${this.inRun} AND resource IS NOT NULL
       GROUP BY resource, action, state ORDER BY min(seq)`,
    );
    return rows.map(({ resource, action, state, count }) => ({
      resource: String(resource),
      action: String(action),
      state: String(state),
      count: Number(count),
    }));
  }

  rowsWithMatchKeys(matchKeys: readonly string[], ...states: RowState[]): LedgerRow[] {
    const rows = this.database.all(
      `SELECT * FROM ${joinedBy.match} WHERE ${this.inRun} AND match IN (${placeholdersFor(matchKeys)})
       AND state IN (${placeholdersFor(states)}) ORDER BY seq`,
      ...matchKeys.map((matchKey) => this.references.hide(matchKey)),
      ...states,
    );
    return rows.map((row) => toLedgerRow(row, this.references));
  }

  hasMatchKeysWithPrefix(prefix: string): boolean {
    const sql = `SELECT 1 FROM rows WHERE ${this.inRun} AND match >= ? AND match < ? LIMIT 1`;
    return this.database.get(sql, prefix, `${prefix}\u{10ffff}`) !== undefined;
  }

  hasMatchKeys(): boolean {
    return (
      this.database.get(`SELECT 1 FROM rows WHERE ${this.inRun} AND match IS NOT NULL LIMIT 1`) !== undefined
    );
  }

  repeatedMatchKeys(): { match: string; rows: { seq: number; line: number | null }[] }[] {
    const matchKeys = this.database.all(
      `SELECT match FROM ${joinedTables} WHERE ${this.inRun} AND match IS NOT NULL AND state != 'bad'
       GROUP BY match HAVING count(*) > 1`,
    );
    return matchKeys.map(({ match }) => ({
      match: this.references.fill(String(match)),
      rows: this.#linesWhere('match', String(match)),
    }));
  }

  row(seq: number): LedgerRow | undefined {
    const row = this.database.get(`${selectRows} WHERE ${this.inRun} AND seq = ?`, seq);
    return row && toLedgerRow(row, this.references);
  }

  /** Returns each record ID that several rows have, with these rows. */
  sharedIds(): { id: string; rows: { seq: number; line: number | null }[] }[] {
    const ids = this.database.all(
      `SELECT id FROM progress WHERE ${this.inRun} AND id IS NOT NULL AND state != 'bad'
       GROUP BY id HAVING count(*) > 1`,
    );
    return ids.map(({ id }) => ({ id: String(id), rows: this.#linesWhere('id', String(id)) }));
  }

  rowNamed(name: string): LedgerRow | undefined {
    const row = this.database.get(
      `${selectRows} WHERE ${this.inRun} AND name = ?`,
      this.references.hide(name),
    );
    return row && toLedgerRow(row, this.references);
  }

  hasId(id: string): boolean {
    return (
      this.database.get(`SELECT 1 FROM progress WHERE ${this.inRun} AND id = ? LIMIT 1`, id) !== undefined
    );
  }

  /** Returns when a row was last sent, in ms since 1970; 0 if none was. */
  lastSentAt(): number {
    return Number(this.database.get(`SELECT max(sentAt) AS at FROM progress WHERE ${this.inRun}`)?.at ?? 0);
  }

  /** Returns whether a row creates a record that can't be found by a key later. */
  createsUnmatchedRows(): boolean {
    const sql = `SELECT 1 FROM ${joinedTables} WHERE ${this.inRun} AND state = 'planned' AND action = 'create'
       AND match IS NULL LIMIT 1`;
    return this.database.get(sql) !== undefined;
  }

  count(...states: RowState[]): number {
    const isCountedSql = states.length === 0 ? '' : ` AND state IN (${placeholdersFor(states)})`;
    const sql = `SELECT count(*) AS count FROM progress WHERE ${this.inRun}${isCountedSql}`;
    let count = Number(this.database.get(sql, ...states)?.count);
    if (states.length === 0) return count;
    const isCounted = (row: Pick<LedgerRow, 'state'>) => states.includes(row.state);
    for (const { before, after } of this.#pendingRows())
      count += Number(isCounted(after)) - Number(isCounted(before));
    return count;
  }

  /** Returns the number of rows by action and state: `create planned`. */
  counts(): Counts {
    const sql = `SELECT action, state, count(*) AS count FROM progress WHERE ${this.inRun} GROUP BY action, state`;
    const rows = this.database.all(sql);
    const counts = new Map(rows.map(({ action, state, count }) => [`${action} ${state}`, Number(count)]));
    const add = ({ action, state }: LedgerRow, number: number) =>
      counts.set(`${action} ${state}`, (counts.get(`${action} ${state}`) ?? 0) + number);
    for (const { before, after } of this.#pendingRows()) {
      add(before, -1);
      add(after, 1);
    }
    return Object.fromEntries(counts);
  }

  /** Returns the rows with changes that the file doesn't contain yet, before and after these changes. */
  #pendingRows(): { before: LedgerRow; after: LedgerRow }[] {
    return [...this.unwritten].flatMap(([seq, change]) => {
      const before = this.row(seq);
      return before ? [{ before, after: { ...before, ...change } }] : [];
    });
  }

  hasReferences(): boolean {
    const sql = `SELECT 1 FROM rows WHERE ${this.inRun} AND instr(steps, ?) > 0 LIMIT 1`;
    return this.database.get(sql, referenceInJson) !== undefined;
  }

  /** Returns every operation that the rows still need, each once. */
  remainingOperations(): readonly Pick<Step, 'resource' | 'verb'>[] {
    const { database } = this;
    this.#remainingOperations ??= database
      .all(
        `SELECT DISTINCT json_extract(step.value, '$.resource') AS resource, json_extract(step.value, '$.verb') AS verb
         FROM ${joinedTables}, json_each(rows.steps) AS step WHERE ${this.inRun} AND ${remainingCondition}`,
      )
      .map(({ resource, verb }) => ({ resource: String(resource), verb: String(verb) }));
    return this.#remainingOperations;
  }

  /** The SQL condition for the rows of the run. */
  protected get inRun(): string {
    return `run = ${this.run}`;
  }

  /** Clears cached results. Call it when rows are added, changed or removed. */
  protected clearCache(): void {
    this.#remainingOperations = undefined;
  }

  /** Returns the distinct values that the rows still send in one field, up to `max`. */
  valuesToSend({ resource, verb }: Pick<Step, 'resource' | 'verb'>, field: string, max: number): unknown[] {
    const rows = this.database.all(
      `SELECT DISTINCT step.value -> '$.body' -> ? AS value FROM ${joinedTables}, json_each(rows.steps) AS step
       WHERE ${this.inRun} AND ${remainingCondition} AND step.value ->> '$.resource' = ? AND step.value ->> '$.verb' = ?
       AND step.value -> '$.body' -> ? IS NOT NULL LIMIT ${max}`,
      ...[field, resource, verb, field],
    );
    return rows.map(({ value }) => parseExactJson(this.references.fillInJson(String(value))));
  }

  /** Returns the request fields that the remaining updates set and that are empty in the records of the plan. */
  filledFields({ resource, verb }: Pick<Step, 'resource' | 'verb'>): string[] {
    const rows = this.database.all(
      `SELECT DISTINCT body_field.key AS name FROM ${joinedTables}, json_each(rows.steps) AS step,
         json_each(step.value, '$.body') AS body_field
       WHERE ${this.inRun} AND ${remainingCondition} AND step.value ->> '$.resource' = ? AND step.value ->> '$.verb' = ?
       AND body_field.type != 'null' AND body_field.value != '' AND step.value -> '$.known' IS NOT NULL
       AND ifnull(step.value -> '$.known' ->> body_field.key, '') = ''
       AND (substr(body_field.key, -3) != '_id'
         OR ifnull(step.value -> '$.known' ->> substr(body_field.key, 1, length(body_field.key) - 3), '') = '')`,
      ...[resource, verb],
    );
    return rows.map(({ name }) => String(name));
  }

  /** Returns whether remaining rows need secrets from their file. */
  needsSecrets(): boolean {
    const sql = `SELECT 1 FROM ${joinedTables} WHERE ${this.inRun} AND ${remainingCondition} AND instr(steps, ?) > 0 LIMIT 1`;
    return this.database.get(sql, placeholderInJson) !== undefined;
  }

  /** Returns the categories of the errors of failed rows, each once. */
  failureCategories(): Category[] {
    const rows = this.database.all(
      `SELECT DISTINCT json_extract(error, '$.category') AS category FROM progress
       WHERE ${this.inRun} AND state IN ('failed', 'bad')`,
    );
    return rows.map(({ category }) => category as Category);
  }

  /** Returns how many requests are still to be sent. */
  countRemainingSteps(verb?: string): number {
    const sql =
      verb === undefined
        ? `SELECT sum(json_array_length(steps) - step) AS count FROM ${joinedTables} WHERE ${this.inRun} AND state = 'planned'`
        : `SELECT count(*) AS count FROM ${joinedTables}, json_each(rows.steps) AS planned_step
           WHERE ${this.inRun} AND state = 'planned' AND planned_step.key >= step AND planned_step.value ->> '$.verb' = ?`;
    return Number(this.database.get(sql, ...(verb === undefined ? [] : [verb]))?.count ?? 0);
  }

  /** Returns how many remaining steps of an operation don't contain a request field. */
  countStepsWithout({ resource, verb }: Pick<Step, 'resource' | 'verb'>, field: string): number {
    const row = this.database.get(
      `SELECT count(*) AS count FROM ${joinedTables}, json_each(rows.steps) AS planned_step
       WHERE ${this.inRun} AND ${remainingCondition} AND planned_step.key >= step AND planned_step.value ->> '$.resource' = ?
       AND planned_step.value ->> '$.verb' = ? AND planned_step.value -> '$.body' -> ? IS NULL`,
      ...[resource, verb, field],
    );
    return Number(row?.count ?? 0);
  }

  #linesWhere(column: 'id' | 'match', value: string): { seq: number; line: number | null }[] {
    return this.database
      .all(
        `SELECT seq, line FROM ${joinedBy[column]} WHERE ${this.inRun} AND ${column} = ? AND state != 'bad'
         ORDER BY seq`,
        value,
      )
      .map(({ seq, line }) => ({ seq: Number(seq), line: line === null ? null : Number(line) }));
  }

  /** Yields all rows as they are stored, with references in place of secrets. */
  *storedRows(): Generator<StoredRow> {
    for (let after = -1; ; ) {
      const sql = `${selectRows} WHERE ${this.inRun} AND seq > ? ORDER BY seq LIMIT ${batchRows}`;
      const rows = this.database.all(sql, after);
      yield* rows;
      if (rows.length < batchRows) return;
      after = Number(rows.at(-1)?.seq);
    }
  }

  *#readBatches(
    select: string,
    where: string,
    states: readonly RowState[],
    ...cells: Cell[]
  ): Generator<LedgerRow[]> {
    const sql = `${select} WHERE ${this.inRun} AND seq > ? AND ${where} ORDER BY seq LIMIT ${batchRows}`;
    for (let after = 0; ; ) {
      const rows = this.database.all(sql, after, ...cells).map((row) => toLedgerRow(row, this.references));
      const lastRow = rows.at(-1);
      if (lastRow === undefined) return;
      const { unwritten } = this;
      const currentRows = rows
        .map((row) => (unwritten.size === 0 ? row : { ...row, ...unwritten.get(row.seq) }))
        .filter(({ state }) => states.includes(state));
      if (currentRows.length > 0) yield currentRows;
      after = lastRow.seq;
    }
  }

  /**
   * Returns the rows whose record has this ID, of any resource, and the rows whose response contained it. This query runs
   * after each creation, so pending changes aren't written first: `database` may lack them.
   */
  protected findRowsWithId(database: Database, id: string): LedgerRow[] {
    const pendingSeqs = [...this.unwritten].flatMap(([seq, change]) =>
      change.id === id || Object(change.error?.answered).id === id ? seq : [],
    );
    const rows = database.all(
      `${selectRows} WHERE ${this.inRun} AND seq IN (
         SELECT seq FROM progress WHERE ${this.inRun} AND id = ?
         UNION SELECT seq FROM progress INDEXED BY progress_by_answer
           WHERE ${this.inRun} AND state = 'unknown' AND ${responseIdSql} = ?
         UNION SELECT value FROM json_each(?))`,
      ...[id, id, JSON.stringify(pendingSeqs)],
    );
    return rows.map((row) => ({
      ...toLedgerRow(row, this.references),
      ...this.unwritten.get(Number(row.seq)),
    }));
  }
}
