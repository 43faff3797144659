/** A row of a ledger: what is to be done, what became of it, and how both stand in the tables. */

import type { Category } from '../../base/errors.ts';
import { exactJson } from '../../base/number-text.ts';
import type { Cell, StoredRow as DatabaseRow } from '../../storage/database.ts';
import type { RowReference } from './row-reference.ts';
import type { SecretReferences } from './secret-references.ts';

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
  /** `ownId` stands for the id that a step before has made, a reference for that of another row. */
  ids: readonly (string | RowReference)[];
  /** Without secrets: those come from the file. References may stand in it at any depth. */
  body?: Readonly<Record<string, unknown>> | undefined;
  /** Rows that have to be done first, though nothing of them is sent: one gives up the name that this one takes. */
  after?: readonly RowReference[] | undefined;
  /** The record as it was read for the plan, as far as the step is about it. */
  known?: Readonly<Record<string, unknown>> | undefined;
}

export const ownId = '$id';

export interface RowError {
  category: Category;
  message: string;
  [detail: string]: unknown;
}

export interface LedgerRow {
  seq: number;
  /** By which other rows refer to it; no two have the same. */
  name: string | null;
  /** What it is a record of, by the API's own name; none where that is the resource of the run. */
  resource: string | null;
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

/** `seq` is its place among the rows; behind the last one unless it is given. */
export type NewRow = Pick<LedgerRow, 'line' | 'key' | 'state'> & Partial<LedgerRow>;

/** What is written of a row that changes. */
export type RowChange = Partial<Omit<LedgerRow, 'seq' | 'line'>>;

/** What is planned once, and what changes while the run goes on: the small table is written for every request. */
const tables = {
  rows: {
    name: 'name',
    resource: 'resource',
    line: 'line',
    key: 'key',
    match: 'match',
    intent: 'intent',
    steps: 'steps',
    changes: 'changes',
    raw: 'raw',
  },
  progress: {
    state: 'state',
    action: 'action',
    id: 'id',
    step: 'step',
    error: 'error',
    sentAt: 'sent_at',
    tries: 'tries',
  },
} as const;

export type Table = keyof typeof tables;

const asJson: ReadonlySet<string> = new Set(['intent', 'steps', 'changes', 'error']);

/** Texts of people and of files. */
const asText: ReadonlySet<string> = new Set(['name', 'key', 'match', 'raw']);

/** A statement, and the members of a row whose cells it takes, in their order. */
interface Statement {
  sql: string;
  names: readonly string[];
}

/** Take the row's place first. */
export const insertInto: Readonly<Record<Table, Statement>> = {
  rows: insertion('rows'),
  progress: insertion('progress'),
};

function insertion(table: Table): Statement {
  const columns = Object.values(tables[table]);
  const marks = columns.map(() => '?').join(', ');
  return {
    sql: `INSERT INTO ${table} (seq, ${columns.join(', ')}) VALUES (?, ${marks})`,
    names: Object.keys(tables[table]),
  };
}

const updates = new Map<string, readonly Statement[]>();

/** Those that write a change, one for each table that it is about; they take the row’s place last. */
export function updatesFor(change: RowChange): readonly Statement[] {
  const names = Object.keys(change);
  const key = names.join();
  let made = updates.get(key);
  if (!made) {
    made = Object.entries(tables).flatMap(([table, columns]: [string, Readonly<Record<string, string>>]) => {
      const own = names.filter((name) => Object.hasOwn(columns, name));
      const set = own.map((name) => `${columns[name]} = ?`).join(', ');
      return own.length === 0 ? [] : [{ sql: `UPDATE ${table} SET ${set} WHERE seq = ?`, names: own }];
    });
    updates.set(key, made);
  }
  return made;
}

type Members = Readonly<Record<string, unknown>>;

/** What a row has for a statement, or would have without a word of it. */
export function cellsOf(
  { names }: Statement,
  row: Members,
  references: SecretReferences,
  otherwise: Members = {},
): Cell[] {
  return names.map((name) => {
    const value = row[name] ?? otherwise[name];
    if (value === null || value === undefined) return null;
    if (asJson.has(name)) return references.hiddenJson(JSON.stringify(value));
    return asText.has(name) ? references.hidden(String(value)) : (value as Cell);
  });
}

/** As both tables joined give it. */
export function rowIn(row: DatabaseRow, references: SecretReferences): LedgerRow {
  const json = <Value>(name: string) =>
    row[name] == null ? null : (exactJson(references.filledJson(String(row[name]))) as Value);
  const text = (name: string) => (row[name] == null ? null : references.filled(String(row[name])));
  return {
    seq: Number(row.seq),
    name: text('name'),
    resource: text('resource'),
    line: row.line == null ? null : Number(row.line),
    key: text('key'),
    state: row.state as RowState,
    action: row.action as Action | null,
    id: text('id'),
    match: text('match'),
    intent: json('intent'),
    steps: json<Step[]>('steps') ?? [],
    step: Number(row.step),
    changes: json<LedgerRow['changes']>('changes'),
    error: json<RowError>('error'),
    sentAt: row.sent_at == null ? null : Number(row.sent_at),
    tries: Number(row.tries),
    raw: text('raw'),
  };
}
