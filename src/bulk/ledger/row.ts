/** A row of a ledger: what is to be done, what became of it, and how both stand in the tables. */
import type { Category } from '../../errors.ts';
import type { Cell, StoredRow as DatabaseRow } from '../../storage/database.ts';
import type { RowReference } from './row-reference.ts';

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

const asJson = new Set(['intent', 'steps', 'changes', 'error']);

/** The columns of one table that a change is about, with their cells. */
export function cellsFor(table: Table, change: RowChange): [column: string, cell: Cell][] {
  const columns: Readonly<Record<string, string>> = tables[table];
  return Object.entries(change).flatMap(([name, value]): [string, Cell][] => {
    const column = columns[name];
    if (column === undefined) return [];
    if (value === null || value === undefined) return [[column, null]];
    return [[column, asJson.has(name) ? JSON.stringify(value) : (value as Cell)]];
  });
}

/** As both tables joined give it. */
export function rowIn(row: DatabaseRow): LedgerRow {
  const json = (name: string) => (row[name] == null ? null : JSON.parse(String(row[name])));
  const text = (name: string) => (row[name] == null ? null : String(row[name]));
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
    steps: json('steps') ?? [],
    step: Number(row.step),
    changes: json('changes'),
    error: json('error'),
    sentAt: row.sent_at == null ? null : Number(row.sent_at),
    tries: Number(row.tries),
    raw: text('raw'),
  };
}
