/** Defines the row of a ledger: its requests, its outcome, and the columns of both tables. */

import type { Category } from '../../base/errors.ts';
import { parseExactJson } from '../../base/number-text.ts';
import { recordIdProblem } from '../../contract/record-id.ts';
import type { Cell, StoredRow as DatabaseRow } from '../../storage/database.ts';
import { placeholdersFor } from './queries.ts';
import type { RowReference } from './row-reference.ts';
import type { SecretReferences } from './secret-references.ts';

/** The action on the record of a row. */
export type Action = 'create' | 'update' | 'delete' | 'restore' | 'link' | 'unlink' | 'skip';

/**
 * The state of a row. `read`: read from the file. `bad`: invalid or skipped, and never sent. `planned`: it will be
 * sent. `sent`: the request is in progress. `done`: it succeeded. `failed`: the service rejected it. `unknown`: it may
 * have succeeded.
 */
export type RowState = 'read' | 'bad' | 'planned' | 'sent' | 'done' | 'failed' | 'unknown';

/** One request of a row. */
export interface Step {
  /** The resource, by its API name. */
  resource: string;
  verb: string;
  /**
   * The IDs in the path. `recordIdPlaceholder` is the ID that an earlier step has created, and a reference is the ID of
   * another row.
   */
  ids: readonly (string | RowReference)[];
  /** The body without secrets, which are read from the file. References may occur at any depth. */
  body?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Rows that must be done first although this step doesn't use their IDs, for example because they release a name that
   * this row uses.
   */
  after?: readonly RowReference[] | undefined;
  /** The record as it was read for the plan, limited to the fields that the step changes. */
  known?: Readonly<Record<string, unknown>> | undefined;
}

/** The placeholder for the ID of the row's own record in the IDs of a step. */
export const recordIdPlaceholder = '$id';

/** The reason why a row failed or is invalid. */
export interface RowError {
  category: Category;
  message: string;
  [detail: string]: unknown;
}

export interface LedgerRow {
  seq: number;
  /** The unique name by which other rows refer to this one. */
  name: string | null;
  /** The resource of the record, by its API name; null if it is the resource of the run. */
  resource: string | null;
  /** The line in the file; null if the rows came from a filter. */
  line: number | null;
  /** The values of the key, which identify the row in messages. */
  key: string | null;
  state: RowState;
  action: Action | null;
  id: string | null;
  /** The match key by which an existing record is found. */
  match: string | null;
  intent: unknown;
  steps: readonly Step[];
  /** How many of the steps are done. */
  step: number;
  /** The old and the new value of each field. */
  changes: Readonly<Record<string, readonly [unknown, unknown]>> | null;
  error: RowError | null;
  /** When the row was last sent, in ms since 1970. */
  sentAt: number | null;
  tries: number;
  /** The row as it is in the file, without secrets. */
  raw: string | null;
}

/** A row to add. Without a `seq`, it is added after the last row. */
export type NewRow = Pick<LedgerRow, 'line' | 'key' | 'state'> & Partial<LedgerRow>;

export type RowChange = Partial<Omit<LedgerRow, 'seq' | 'line'>>;

/** Returns a row or change; as an invalid row if it is planned with an ID that can't be in a path. */
export function withValidIds<Row extends RowChange>(row: Row): Row {
  const ids = row.state === 'planned' ? row.steps?.flatMap((step) => step.ids) : undefined;
  const message = ids?.map((id) => (typeof id === 'string' ? recordIdProblem(id) : undefined)).find(Boolean);
  if (message === undefined) return row;
  return { ...row, state: 'bad', action: 'skip', steps: [], error: { category: 'usage', message } };
}

/**
 * The columns of both tables, which are members of a row. The plan writes `rows` once; the small table `progress` is written
 * for every request.
 */
const tables = {
  rows: ['name', 'resource', 'line', 'key', 'match', 'intent', 'steps', 'changes', 'raw'],
  progress: ['state', 'action', 'id', 'step', 'error', 'sentAt', 'tries'],
} as const;

export type LedgerTable = keyof typeof tables;

const jsonMembers: ReadonlySet<string> = new Set(['intent', 'steps', 'changes', 'error']);

/** The members with text of users and files, in which secrets are replaced. */
const textMembers: ReadonlySet<string> = new Set(['name', 'key', 'match', 'raw']);

/** A statement, and the members of a row that are its parameters, in order. */
interface RowStatement {
  sql: string;
  names: readonly string[];
}

/** Inserts a row. The first parameter is the sequence number. */
export const insertStatements: Readonly<Record<LedgerTable, RowStatement>> = {
  rows: insertStatement('rows'),
  progress: insertStatement('progress'),
};

function insertStatement(table: LedgerTable): RowStatement {
  const names = tables[table];
  return {
    sql: `INSERT INTO ${table} (seq, ${names.join(', ')}) VALUES (?, ${placeholdersFor(names)})`,
    names,
  };
}

const updates = new Map<string, readonly RowStatement[]>();

/**
 * Returns the statements that write a change, one for each table that it affects. The last parameter is the sequence
 * number.
 */
export function updateStatements(change: RowChange): readonly RowStatement[] {
  const names = Object.keys(change);
  const key = names.join();
  let statements = updates.get(key);
  if (!statements) {
    statements = Object.entries(tables).flatMap(([table, columns]) => {
      const changedNames = columns.filter((name) => names.includes(name));
      const set = changedNames.map((name) => `${name} = ?`).join(', ');
      return set === '' ? [] : [{ sql: `UPDATE ${table} SET ${set} WHERE seq = ?`, names: changedNames }];
    });
    updates.set(key, statements);
  }
  return statements;
}

type Members = Readonly<Record<string, unknown>>;

export function cellsOf(
  { names }: RowStatement,
  row: Members,
  references: SecretReferences,
  defaults: Members = {},
): Cell[] {
  return names.map((name) => {
    const value = row[name] ?? defaults[name];
    if (value === null || value === undefined) return null;
    if (jsonMembers.has(name)) return references.hideInJson(JSON.stringify(value));
    return textMembers.has(name) ? references.hide(String(value)) : (value as Cell);
  });
}

/** Converts a database row of a query over both tables to a row of the ledger. */
export function toLedgerRow(row: DatabaseRow, references: SecretReferences): LedgerRow {
  const jsonOf = <Value>(name: string) =>
    row[name] == null ? null : (parseExactJson(references.fillInJson(String(row[name]))) as Value);
  const textOf = (name: string) => (row[name] == null ? null : references.fill(String(row[name])));
  return {
    seq: Number(row.seq),
    name: textOf('name'),
    resource: textOf('resource'),
    line: row.line == null ? null : Number(row.line),
    key: textOf('key'),
    state: row.state as RowState,
    action: row.action as Action | null,
    id: textOf('id'),
    match: textOf('match'),
    intent: jsonOf('intent'),
    steps: jsonOf<Step[]>('steps') ?? [],
    step: Number(row.step),
    changes: jsonOf<LedgerRow['changes']>('changes'),
    error: jsonOf<RowError>('error'),
    sentAt: row.sentAt == null ? null : Number(row.sentAt),
    tries: Number(row.tries),
    raw: textOf('raw'),
  };
}
