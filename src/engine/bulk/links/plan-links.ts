/** Plans the import of a file of links in a ledger: each row sets, changes or removes a link, or leaves it unchanged. */

import { linkValues } from '../../../account/session/diff/fields.ts';
import { findRecords } from '../../../account/session/find-records.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import { fieldsToInclude } from '../../../api/contract/include.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { validateBody } from '../../../api/contract/validate.ts';
import { withArticle } from '../../../api/contract/wording.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { decideLink, rowChangeOf } from '../../runs/decide.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { formatLines, type LedgerRow, type NewRow, type RowChange, rowError } from '../../runs/ledger/row.ts';
import type { Column } from '../../tables/columns/columns.ts';
import { damageProblems, suspectTextProblem } from '../../tables/columns/damage.ts';
import type { ColumnFor } from '../../tables/columns/match-header.ts';
import { isEmptyText } from '../../tables/columns/normalize-cell-text.ts';
import type { DecimalSeparator } from '../../tables/columns/numbers.ts';
import type { ValueFormats } from '../../tables/columns/parse-cell.ts';
import { cellDisplayText, parseCell } from '../../tables/columns/table-cell.ts';
import type { OpenTable } from '../../tables/open-table.ts';
import { isSpreadsheetFormat, type RowProblem, type TableRow, unreadableCells } from '../../tables/table.ts';
import { detectFormats } from '../plan/detect-formats.ts';
import { type LinkColumns, linkColumnFinder } from './link-rows.ts';

export interface LinkPlan {
  ledger: Ledger;
  resource: Resource;
  columns: LinkColumns;
  /** The name of the file in messages: "The file prices.csv". */
  label: string;
  table: OpenTable;
  session: Session;
  /** The decimal separator, if the numbers in the file are ambiguous. */
  decimal?: DecimalSeparator | undefined;
  /** The cell text that clears a field. */
  nullText: string;
  unguardCell(text: string): string;
  /** Whether values that a spreadsheet has probably damaged are written. */
  acceptsDamage?: boolean | undefined;
  /** Called after the file is read, before it is compared with the account. */
  beforeMatching?: (() => Promise<void>) | undefined;
}

/** The options for reading the rows of a file of links. */
export type LinkReadOptions = Pick<
  LinkPlan,
  'resource' | 'columns' | 'label' | 'table' | 'nullText' | 'unguardCell' | 'acceptsDamage'
>;

/** The change that a row requests, as the ledger stores it. Names are lookups such as `@VIP` until they are resolved to ids. */
export interface LinkIntent {
  /** The record that has the link. */
  owner: string;
  linked: string;
  isRemoved: boolean;
  body: Row;
}

/**
 * Fills the ledger. Throws a usage failure for problems of the file as a whole; a problem of a row makes the row
 * invalid.
 */
export async function planLinks(plan: LinkPlan): Promise<void> {
  const { ledger, table, label } = plan;
  const columnFor = linkColumnFinder(plan);
  const formats = await detectFormats({ table, columnFor, label, decimal: plan.decimal, hasFlags: true });
  let rows: NewRow[] = [];
  for await (const row of table.rows()) {
    rows.push(toNewRow(plan, row, columnFor, formats));
    if (rows.length < 500) continue;
    ledger.add(rows);
    rows = [];
  }
  ledger.add(rows);
  if (ledger.count() === 0) throw usage(`${label} has no rows.`);
  await plan.beforeMatching?.();
  await resolveEnds(plan);
  refuseRepeated(ledger);
  await decideAll(plan);
}

function toNewRow(plan: LinkPlan, row: TableRow, columnFor: ColumnFor, formats: ValueFormats): NewRow {
  const { intent, problems } = parseLinkRow(plan, row, columnFor, formats);
  const isRead = row.cells.size > 0 || problems.length === 0;
  const key = isRead ? [intent.owner, intent.linked].map((text) => text.replace(/^@/, '')).join(', ') : null;
  const common = { line: row.line, key, intent, raw: row.raw };
  return problems.length === 0
    ? { ...common, state: 'read' }
    : { ...common, state: 'bad', action: 'skip', error: rowError(problems) };
}

export function parseLinkRow(
  reading: LinkReadOptions,
  row: TableRow,
  columnFor: ColumnFor,
  formats: ValueFormats,
): { intent: LinkIntent; problems: RowProblem[] } {
  const { resource, table, unguardCell, nullText, columns } = reading;
  const cells = { format: table.format, formats, nullText, unguardCell };
  const problems: RowProblem[] = [...row.problems];
  const isUnreadable = unreadableCells(row);
  const intent: LinkIntent = { owner: '', linked: '', isRemoved: false, body: {} };
  for (const [name, cell] of row.cells) {
    const column = columnFor(name);
    if (!column || column.role === 'note') continue;
    const text = cellDisplayText(cell, cells);
    const acceptsWords = columns.values.includes(column) && isSpreadsheetFormat(table.format);
    if (typeof cell === 'string' && isEmptyText(text, { acceptsWords })) continue;
    if (cell === null && column.role === 'command') continue;
    if (column.role === 'command') {
      const word = text.trim().toLowerCase();
      intent.isRemoved = word === 'delete';
      if (!['create', 'update', 'delete'].includes(word))
        problems.push({ column: name, what: `must be create, update or delete: "${text}"` });
      continue;
    }
    const end = columns.owner.includes(column)
      ? 'owner'
      : columns.linked.includes(column)
        ? 'linked'
        : undefined;
    if (end === undefined && isUnreadable(name)) continue;
    const parsed = parseCell(resource, column, cell, cells);
    const problem =
      parsed.problem === undefined
        ? truncationProblem(column, text, reading)
        : `${parsed.problem}: "${text}"`;
    if (problem !== undefined) problems.push({ column: name, what: problem });
    else if (end === undefined) intent.body[column.name] = parsed.value;
    else if (intent[end] === '') intent[end] = String(parsed.value ?? '');
    else problems.push({ column: name, what: `is a second column for ${columns[end][0].name}` });
  }
  // If a row can't be read, its cells are unknown.
  if (row.cells.size === 0 && problems.length > 0) return { intent, problems };
  for (const [end, [{ name }]] of [
    [intent.owner, columns.owner],
    [intent.linked, columns.linked],
  ] as const) {
    if (end === '') problems.push({ column: name, what: 'is required' });
  }
  return { intent, problems };
}

function truncationProblem(
  { field }: Column,
  text: string,
  { table, acceptsDamage }: LinkReadOptions,
): string | undefined {
  if (!field || acceptsDamage || !isSpreadsheetFormat(table.format)) return undefined;
  return suspectTextProblem(field, text);
}

/** Resolves both ends of each link to ids. Each unknown name is reported in its row. */
async function resolveEnds({ ledger, columns, session }: LinkPlan): Promise<void> {
  const idsByEnd = new Map<string, ReadonlyMap<string, string | Failure>>();
  for (const end of ['owner', 'linked'] as const) {
    const lookups = new Set<string>();
    for (const { intent } of ledger.rows('read')) {
      const text = (intent as LinkIntent)[end];
      if (text.startsWith('@')) lookups.add(text);
    }
    const target = columns[end][0].field?.traits.target ?? '';
    idsByEnd.set(
      end,
      lookups.size === 0 ? new Map() : await session.names.find(target, [...lookups], { orId: true }),
    );
  }
  for (const rows of ledger.batches('read')) {
    ledger.write(() => {
      for (const row of rows) ledger.change(row.seq, resolveRow(row, idsByEnd, columns));
    });
  }
}

function resolveRow(
  { intent }: LedgerRow,
  idsByEnd: ReadonlyMap<string, ReadonlyMap<string, string | Failure>>,
  columns: LinkColumns,
): RowChange {
  const intended = intent as LinkIntent;
  const problems: RowProblem[] = [];
  const idOf = (end: 'owner' | 'linked') => {
    const resolved = idsByEnd.get(end)?.get(intended[end]) ?? intended[end];
    if (!(resolved instanceof Failure)) return resolved;
    const [{ name }] = columns[end];
    problems.push({
      column: name,
      what: `can't be resolved: ${resolved.message.replace(/\.$/, '')}`,
    });
    return '';
  };
  const resolvedIntent: LinkIntent = { ...intended, owner: idOf('owner'), linked: idOf('linked') };
  if (problems.length > 0) return { state: 'bad', action: 'skip', error: rowError(problems) };
  return {
    intent: resolvedIntent,
    id: resolvedIntent.owner,
    match: JSON.stringify([resolvedIntent.owner, resolvedIntent.linked]),
  };
}

function refuseRepeated(ledger: Ledger): void {
  for (const { rows } of ledger.repeatedMatchKeys()) {
    const message = `is one of several rows with the same link: ${formatLines(rows)}`;
    ledger.write(() => {
      for (const { seq } of rows)
        ledger.change(seq, { state: 'bad', action: 'skip', error: rowError([{ what: message }]) });
    });
  }
}

/** Decides all rows. Each record is read once, even if the file has several of its links. */
async function decideAll(plan: LinkPlan): Promise<void> {
  const { ledger, resource, session, columns } = plan;
  const rowsByRecord = new Map<string, LedgerRow[]>();
  for (const row of ledger.rows('read')) {
    const { owner } = row.intent as LinkIntent;
    rowsByRecord.set(owner, [...(rowsByRecord.get(owner) ?? []), row]);
  }
  const include = fieldsToInclude(resource, [columns.link.field]);
  const request = { resource, searches: [{ by: 'id', values: [...rowsByRecord.keys()] }], include };
  for await (const records of findRecords(session, request)) {
    for (const record of records) {
      const rows = rowsByRecord.get(String(record.id)) ?? [];
      rowsByRecord.delete(String(record.id));
      ledger.write(() => {
        for (const row of rows) ledger.change(row.seq, decideLinkRow(plan, row.intent as LinkIntent, record));
      });
    }
  }
  for (const row of [...rowsByRecord.values()].flat()) {
    const message = `refers to ${withArticle(resource.noun)} that doesn't exist: ${(row.intent as LinkIntent).owner}`;
    ledger.change(row.seq, { state: 'bad', action: 'skip', error: rowError([{ what: message }]) });
  }
}

/** Decides which request sets or removes a link of the record. */
export function decideLinkRow(
  { resource, columns, acceptsDamage }: Pick<LinkPlan, 'resource' | 'columns' | 'acceptsDamage'>,
  intent: LinkIntent,
  record: Row,
): RowChange {
  const { linkOperation: operation, link } = columns;
  const linkedId = intent.linked;
  if (intent.isRemoved) return decideLink({ operation, linkedId, values: undefined }, record);
  // A request sets all fields of a link, so empty cells keep the current values.
  const values = { ...linkValues(record, link.field, linkedId, operation), ...intent.body };
  const change = decideLink({ operation, linkedId, values }, record);
  const fields = resource.fields[link.field]?.traits.pivot ?? {};
  const problems = [
    ...Object.entries(validateBody(operation, values)).flatMap(([column, messages]) =>
      messages.map((what) => (column === '_' ? { what } : { column, what })),
    ),
    ...damageProblems({ fields }, change.changes ?? {}, { acceptsDamage }),
  ];
  return problems.length > 0 ? rowChangeOf({ problems }, null) : change;
}
