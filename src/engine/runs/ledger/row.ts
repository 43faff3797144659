/** Defines the row of a ledger: its requests, its outcome, and the columns of both tables. */

import type { Row } from '../../../account/session/row.ts';
import type { BodyField } from '../../../api/contract/operation.ts';
import { recordIdProblem } from '../../../api/contract/record-id.ts';
import { type Category, exitCodes, type FailureRecord, type FieldMessages } from '../../../base/errors.ts';
import { isScalar, parseExactJson } from '../../../base/number-text.ts';
import { joinItems } from '../../../base/shown-items.ts';
import type { Cell, StoredRow as DatabaseRow } from '../../../base/storage/database.ts';
import type { ImportMode } from '../../tables/columns/options.ts';
import type { RowProblem } from '../../tables/table.ts';
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
  problems?: readonly RowProblem[];
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

/** Inserts a row. The first parameters are the run and the sequence number. */
export const insertStatements: Readonly<Record<LedgerTable, RowStatement>> = {
  rows: insertStatement('rows'),
  progress: insertStatement('progress'),
};

function insertStatement(table: LedgerTable): RowStatement {
  const names = tables[table];
  return {
    sql: `INSERT INTO ${table} (run, seq, ${names.join(', ')}) VALUES (?, ?, ${placeholdersFor(names)})`,
    names,
  };
}

const updates = new Map<string, readonly RowStatement[]>();

/**
 * Returns the statements that write a change, one for each table that it affects. The last parameters are the run
 * and the sequence number.
 */
export function updateStatements(change: RowChange): readonly RowStatement[] {
  const names = Object.keys(change);
  const key = names.join();
  let statements = updates.get(key);
  if (!statements) {
    statements = Object.entries(tables).flatMap(([table, columns]) => {
      const changedNames = columns.filter((name) => names.includes(name));
      const set = changedNames.map((name) => `${name} = ?`).join(', ');
      return set === ''
        ? []
        : [{ sql: `UPDATE ${table} SET ${set} WHERE run = ? AND seq = ?`, names: changedNames }];
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

/** Returns one usage error with all problems of a row. */
export function rowError(problems: readonly RowProblem[]): RowError {
  const messages = problems.map(({ column, what }) =>
    column === undefined ? `The row ${what}` : `${column} ${what}`,
  );
  const message = messages.join('; ');
  return { category: 'usage', message: /[.?!]$/.test(message) ? message : `${message}.`, problems };
}

/** Returns the lines of rows for a message: `lines 2, 3, 7`. */
export function formatLines(rows: readonly { line: number | null }[]): string {
  return `lines ${joinItems(rows.map(({ line }) => line))}`;
}

/** The outcome of one row, as JSON output contains it. */
export interface RowResult {
  /** The resource of the record, by its API name, if a run writes to several resources. */
  resource?: string;
  /** The line in the file, where the header is line 1; null if the rows came from a filter. */
  line: number | null;
  key: string | null;
  action: Action;
  id: string | null;
  outcome: 'done' | 'failed' | 'unknown' | 'not_sent';
  error: RowFailure | null;
}

/** The error of a row: the object that stderr has for a failure, and the problems of an invalid row. */
export interface RowFailure extends FailureRecord {
  problems?: readonly RowProblem[];
  [detail: string]: unknown;
}

export function resultOf({ resource, line, key, action, id, state, error }: LedgerRow): RowResult {
  const result = {
    line,
    key,
    action: action ?? 'skip',
    id,
    outcome: outcomes[state],
    error: error && rowFailure(error, state),
  };
  return resource === null ? result : { resource, ...result };
}

/** Returns the error of a row with the keys of every error, and with its problems as messages by field. */
function rowFailure({ category, message, problems, ...details }: RowError, state: RowState): RowFailure {
  const fields: FieldMessages = Object.create(null);
  for (const { column = '_', what } of problems ?? []) fields[column] = [...(fields[column] ?? []), what];
  return {
    category,
    exit_code: exitCodes[category],
    status: null,
    message,
    fields: problems ? fields : null,
    request: null,
    hint: null,
    outcome: outcomes[state] === 'unknown' ? 'unknown' : 'not_sent',
    ...details,
    ...(problems && { problems }),
  };
}

const outcomes = {
  read: 'not_sent',
  planned: 'not_sent',
  bad: 'failed',
  failed: 'failed',
  done: 'done',
  sent: 'unknown',
  unknown: 'unknown',
} as const;

/** The command of a row, and its field values. */
export interface Intent {
  command: ImportMode;
  id?: string | undefined;
  /** When the record last changed, according to the file, with or without seconds. */
  updatedAt?: string | undefined;
  /** The values by the names of request fields. Lookups are strings such as `@VIP`; secrets are `secretPlaceholder`. */
  body: Row;
  /**
   * The original text of cells whose values were normalized, by the same names. A record that already has this text isn't
   * changed.
   */
  written?: Readonly<Record<string, string>> | undefined;
  /**
   * The reasons why values are probably mistakes, by the same names. Such a value is accepted only if the record
   * already has it.
   */
  doubts?: Readonly<Record<string, RowProblem>> | undefined;
}

/** The tables of runs, with their columns except `run`. */
export const runTables = {
  facts: ['name', 'value'],
  rows: ['seq', ...tables.rows],
  progress: ['seq', ...tables.progress],
};

/** The join of both tables by run and sequence number. */
export const joinedTables = 'progress JOIN rows USING (run, seq)';
export const selectRows = `SELECT * FROM ${joinedTables}`;
/** Selects the columns that are needed for sending, without those that are only displayed. */
export const selectRowsToSend = `SELECT progress.*, line, key, name, resource, steps FROM ${joinedTables}`;

export function placeholdersFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

/**
 * The placeholder `{ "$secret": true }`, the only member of its object, for a value that is read again when the row is
 * sent. It isn't a string, because a string could be the name of a record; field names of the API never begin with a
 * dollar sign.
 */
interface SecretPlaceholder {
  readonly $secret: true;
}

export const secretPlaceholder: SecretPlaceholder = { $secret: true };

/** The placeholder in the JSON of a step. Within a string, its quotes would be escaped. */
export const placeholderInJson = '"$secret":';

export function isSecretPlaceholder(value: unknown): value is SecretPlaceholder {
  if (typeof value !== 'object' || value === null) return false;
  return '$secret' in value && value.$secret === true && Object.keys(value).length === 1;
}

/** Returns the names of the fields that must be read again before a body can be sent. */
export function missingSecretNames(
  fields: readonly BodyField[],
  body: Readonly<Record<string, unknown>>,
): string[] {
  return fields.flatMap(({ name, field }) =>
    field.traits.secret && isSecretPlaceholder(body[name]) ? [name] : [],
  );
}

/**
 * The reference `{ "$row": "inventory_items/TOM-01" }`, the only member of its object. Field names of the API never
 * begin with a dollar sign, so values of the service can't be mistaken for references.
 */
export interface RowReference {
  readonly $row: string;
}

/** The start of a reference in the JSON of a step. Within a string, its quotes would be escaped. */
export const referenceInJson = '"$row":';

export function rowReference(name: string): RowReference {
  return { $row: name };
}

export function isRowReference(value: unknown): value is RowReference {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return entries.length === 1 && entries[0]?.[0] === '$row' && typeof entries[0][1] === 'string';
}

interface StepReferences {
  ids: readonly unknown[];
  body?: unknown;
  after?: unknown;
}

/** Returns the names of all rows that a step refers to, each once. */
export function findReferences({ ids, body, after }: StepReferences): Set<string> {
  const names = new Set<string>();
  collectNames(ids, names);
  collectNames(body, names);
  collectNames(after, names);
  return names;
}

function collectNames(value: unknown, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  if (isRowReference(value)) names.add(value.$row);
  else for (const inner of Object.values(value)) collectNames(inner, names);
}

export function withIds(value: unknown, idOf: (name: string) => string): unknown {
  if (typeof value !== 'object' || value === null || isScalar(value)) return value;
  if (isRowReference(value)) return idOf(value.$row);
  if (Array.isArray(value)) return value.map((item) => withIds(item, idOf));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withIds(inner, idOf)]));
}
