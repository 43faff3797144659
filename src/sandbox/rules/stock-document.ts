/**
 * Defines the common rule of inventory counts, cost adjustments and transfer orders: a reference, allowed changes of
 * status, and effects.
 */
import type { FieldMessages } from '../../base/errors.ts';
import type { Database, StoredRow } from '../../base/storage/database.ts';
import { quoteName } from '../../base/storage/quote-name.ts';
import { formatDay } from '../calendar.ts';
import type { Context } from '../context.ts';
import { updateRow } from '../store/rows.ts';
import type { RequestedChange, ResourceRule } from './rule.ts';

/** The properties of one kind of stock document. */
export interface StockDocument {
  table: string;
  /** The prefix of generated references: `IC` gives `IC-0001`. */
  prefix: string;
  /** The allowed next statuses of each status. */
  transitions: Readonly<Record<number, readonly number[]>>;
  /** The statuses in which the contents can't be changed. */
  lockedStatuses: readonly number[];
  /** A function that is called for each new document. */
  onCreated: (context: Context, row: StoredRow) => void;
  /** Functions by status. Each is called when a document gets the status, as a new document or by a change. */
  onStatus: Readonly<Record<number, (context: Context, row: StoredRow) => void>>;
}

export function stockDocumentRule(document: StockDocument): ResourceRule {
  return {
    initialCells: ({ database }, { reference }) =>
      typeof reference === 'string' ? {} : { reference: nextReference(database, document) },
    changeProblems: ({ database }, { before, body }) =>
      before ? changeProblems(database, document, before, body) : {},
    applyEffects: (context, before, after) => {
      if (!before) document.onCreated(context, after);
      if (before?.status !== after.status) document.onStatus[Number(after.status)]?.(context, after);
    },
  };
}

/** Sets the business day and the poster of a stock document, when it takes effect. */
export function markPosted({ database, tables, now, userId }: Context, table: string, row: StoredRow): void {
  updateRow(database, tables.get(table), String(row.id), {
    business_date: row.business_date ?? formatDay(now),
    poster_id: row.poster_id ?? userId,
  });
}

/** Returns the lines of a stock document, in order. */
export function linesOf(database: Database, table: string, row: StoredRow): StoredRow[] {
  return database.all(
    `SELECT * FROM ${quoteName(`${table}_items`)} WHERE from_id = ? ORDER BY position`,
    String(row.id),
  );
}

function nextReference(database: Database, { table, prefix }: StockDocument): string {
  const lastRow = database.get(`SELECT max(seq) AS seq FROM ${quoteName(table)}`);
  for (let number = Number(lastRow?.seq ?? 0) + 1; ; number += 1) {
    const reference = `${prefix}-${String(number).padStart(4, '0')}`;
    if (!database.get(`SELECT 1 FROM ${quoteName(table)} WHERE reference = ?`, reference)) return reference;
  }
}

const lockedFields = ['branch_id', 'warehouse_id', 'business_date'] as const;

/** Returns the problems of a change. Unchanged values can be sent again. */
function changeProblems(
  database: Database,
  { table, transitions, lockedStatuses }: StockDocument,
  before: StoredRow,
  body: RequestedChange['body'],
): FieldMessages {
  const problems: FieldMessages = {};
  const status = Number(before.status);
  if (
    body.status !== undefined &&
    body.status !== status &&
    !transitions[status]?.includes(Number(body.status))
  ) {
    problems.status = [`can't change from ${status} to ${body.status}`];
  }
  if (!lockedStatuses.includes(status)) return problems;
  for (const name of lockedFields) {
    if (body[name] !== undefined && body[name] !== before[name]) {
      problems[name] = [`can't be changed at status ${status}`];
    }
  }
  if (body.items !== undefined && !areLinesEqual(linesOf(database, table, before), body.items)) {
    problems.items = [`can't be changed at status ${status}`];
  }
  return problems;
}

function areLinesEqual(lines: readonly StoredRow[], items: unknown): boolean {
  const sentItems = items as { id: string; quantity?: number; cost_per_unit?: number }[];
  const amounts = new Map(lines.map((line) => [line.to_id, line.quantity ?? line.cost_per_unit]));
  return (
    sentItems.length === lines.length &&
    sentItems.every(({ id, quantity, cost_per_unit }) => amounts.get(id) === (quantity ?? cost_per_unit))
  );
}
