/**
 * Reads documents from sheets with a row for each line of a document, such as branch, SKU and quantity. Rows with the
 * same reference form one document. Without a reference, rows with the same values in all other columns do.
 */

import type { Row } from '../../../account/session/row.ts';
import { apiOf } from '../../../api/contract/api.ts';
import { type Field, one } from '../../../api/contract/field.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { type Column, findColumn, normalizeColumnName } from '../../tables/columns/columns.ts';
import type { ColumnFor } from '../../tables/columns/match-header.ts';
import type { ImportOptions } from '../../tables/columns/options.ts';
import { cellDisplayText, parseCell } from '../../tables/columns/table-cell.ts';
import { type RowProblem, rawSeparator, type Table, type TableRow } from '../../tables/table.ts';
import type { RowReadOptions } from './parse-row.ts';

/** The columns of a file whose rows are lines of documents. */
export interface DocumentLines {
  /** The field that contains the lines: `items`. */
  field: string;
  /** The column for the record of a line, as the file names it: `SKU`. */
  item: string;
  /** The name of the amount in a line: `quantity`. */
  amount: string;
  /** Returns the column of a part of the line; undefined for other columns and for ignored ones. */
  columnFor: ColumnFor;
  /** Whether a column belongs to the line, or describes its record and is ignored. */
  isLineColumn(name: string): boolean;
  /** The columns that describe the record of a line, such as its name. They are ignored. */
  ignored: readonly string[];
  /** The column of the reference by which lines are grouped, as the file names it. */
  reference: string | undefined;
  /** Whether the API accepts the reference. Otherwise it only groups rows. */
  isReferenceWritten: boolean;
}

/** Returns the line columns of a file: the amount and its record. Returns undefined if the file doesn't have them. */
export function findDocumentLines(
  resource: Resource,
  { columns = [] }: Table,
  { map }: Pick<ImportOptions, 'map'>,
): DocumentLines | undefined {
  const linesField = linesFieldOf(resource);
  if (!linesField) return undefined;
  const { name: field, amount, target } = linesField;
  const fieldOf = (name: string) => normalizeColumnName(map.get(name) ?? map.get(name.trim()) ?? name);
  const columnOfField = new Map(columns.map((name) => [fieldOf(name), name]));
  const targetResource = apiOf(resource).resource(target);
  const names = [...(targetResource?.key ?? []), ...itemNamesOf(resource, linesField)].filter(
    (name) => !resource.fields[name],
  );
  const itemName = names.find((name) => columnOfField.has(name));
  if (columnOfField.has(field) || !columnOfField.has(amount) || itemName === undefined) return undefined;
  const parts: Record<string, Column> = {
    [itemName]: itemColumn(itemName, target),
    [amount]: amountColumn(linesField),
  };
  const isDescription = (name: string) =>
    !findColumn(resource, name) &&
    name !== itemName &&
    (names.includes(name) || targetResource?.fields[name] !== undefined);
  const reference = columnOfField.get('reference');
  const isReferenceWritten = findColumn(resource, 'reference')?.role === 'value';
  return {
    field,
    item: columnOfField.get(itemName) ?? itemName,
    amount,
    columnFor: (name) => parts[fieldOf(name)],
    isLineColumn: (name) => Object.hasOwn(parts, fieldOf(name)) || isDescription(fieldOf(name)),
    ignored: columns.filter((name) => name !== '' && isDescription(fieldOf(name))),
    reference,
    isReferenceWritten,
  };
}

/** Returns the possible names of the line columns: those of the record, and that of the amount. */
export function lineColumnNames(resource: Resource): string[] {
  const linesField = linesFieldOf(resource);
  if (!linesField) return [];
  const keys = apiOf(resource).resource(linesField.target)?.key ?? [];
  return [...keys, ...itemNamesOf(resource, linesField), linesField.amount].filter(
    (name) => !resource.fields[name],
  );
}

interface LinesField {
  name: string;
  field: Field;
  amount: string;
  target: string;
}

function linesFieldOf({ transactional, fields }: Resource): LinesField | undefined {
  if (!transactional) return undefined;
  for (const [name, field] of Object.entries(fields)) {
    const { amountField, target } = field.traits;
    if (amountField !== undefined && target !== undefined)
      return { name, field, amount: amountField, target };
  }
  return undefined;
}

/** Returns the names for the column of the record: `item`, `item_id`, `inventory_item` and `inventory_item_id`. */
function itemNamesOf(resource: Resource, { name, target }: LinesField): string[] {
  const singular = apiOf(resource).resource(target)?.one.replaceAll('-', '_') ?? target;
  return [name.replace(/s$/, ''), singular].flatMap((word) => [word, `${word}_id`]);
}

function itemColumn(name: string, target: string): Column {
  return { ...lineColumn(name, one(target)), isById: name.endsWith('_id') };
}

function amountColumn({ field, amount }: LinesField): Column {
  return lineColumn(amount, field.traits.pivot?.[amount]);
}

function lineColumn(name: string, field: Field | undefined): Column {
  return { name, role: 'value', field, responseName: name, isById: false, isExported: false };
}

/** A document whose rows are being collected. */
interface Document {
  rows: TableRow[];
  cells: Map<string, unknown>;
  /** The line in the file that each cell comes from. */
  lineOf: Map<string, number>;
  lines: Row[];
  /** The line in the file of each record, by the text of its cell. */
  records: Map<string, number>;
  problems: RowProblem[];
}

/** Returns a table with a row for each document, in the order of their first lines. */
export function groupDocuments(table: Table, lines: DocumentLines, options: RowReadOptions): Table {
  async function* rows(): AsyncGenerator<TableRow> {
    const documents = new Map<string, Document>();
    for await (const row of table.rows()) {
      const key = documentKeyOf(row, lines);
      const document = documents.get(key) ?? newDocument();
      documents.set(key, document);
      addRow(document, row, lines, options);
    }
    for (const document of documents.values()) yield rowOf(document, lines);
  }
  return { ...table, rows };
}

function newDocument(): Document {
  return {
    rows: [],
    cells: new Map(),
    lineOf: new Map(),
    lines: [],
    records: new Map(),
    problems: [],
  };
}

/** Returns the key of the document that a row belongs to. A row that can't be read forms a separate document. */
function documentKeyOf(
  { cells, line, problems }: TableRow,
  { reference, isLineColumn }: DocumentLines,
): string {
  if (cells.size === 0 && problems.length > 0) return `line ${line}`;
  const referenceCell = reference === undefined ? undefined : cells.get(reference);
  if (referenceCell !== undefined && !isBlank(referenceCell))
    return JSON.stringify(['reference', trimmedText(referenceCell)]);
  const otherCells = [...cells].filter(([name, cell]) => !isLineColumn(name) && !isBlank(cell));
  return JSON.stringify(otherCells.map(([name, cell]) => [name, trimmedText(cell)]));
}

function addRow(document: Document, row: TableRow, lines: DocumentLines, options: RowReadOptions): void {
  document.rows.push(row);
  document.problems.push(...row.problems);
  for (const [name, cell] of row.cells) {
    if (lines.isLineColumn(name) || isBlank(cell)) continue;
    if (name === lines.reference && !lines.isReferenceWritten) continue;
    const previousLine = document.lineOf.get(name);
    if (previousLine === undefined) {
      document.cells.set(name, cell);
      document.lineOf.set(name, row.line);
    } else if (trimmedText(document.cells.get(name)) !== trimmedText(cell) && !isReported(document, name)) {
      const message = `differs within the document: "${trimmedText(document.cells.get(name))}" in line ${previousLine}, "${trimmedText(cell)}" in line ${row.line}`;
      document.problems.push({ column: name, what: message });
    }
  }
  addLine(document, row, lines, options);
}

/** Adds the line in a row to its document. A line without an amount is omitted, because the record wasn't counted. */
function addLine(
  { lines, records, problems }: Document,
  { cells, line, problems: rowProblems }: TableRow,
  { columnFor, item, amount }: DocumentLines,
  options: RowReadOptions,
): void {
  const unreadableColumns = new Set(rowProblems.map(({ column }) => column));
  const cellOptions = { ...options, nullText: options.options.nullText };
  const lineValues: Row = {};
  let record = '';
  for (const [name, cell] of cells) {
    const column = columnFor(name);
    if (!column || isBlank(cell) || unreadableColumns.has(name)) continue;
    const text = cellDisplayText(cell, options).trim();
    const { value, problem } = parseCell(options.resource, column, cell, cellOptions);
    if (problem !== undefined) problems.push({ column: name, what: `of line ${line} ${problem}: "${text}"` });
    if (column.name === amount) lineValues[amount] = value;
    else [lineValues.id, record] = [value, text];
  }
  if (!Object.hasOwn(lineValues, amount) || unreadableColumns.size > 0) return;
  const previousLine = records.get(record);
  if (lineValues.id === undefined) problems.push({ column: item, what: `is missing in line ${line}` });
  else if (previousLine !== undefined)
    problems.push({ column: item, what: `is ${record} in both line ${previousLine} and line ${line}` });
  else if (lineValues[amount] !== undefined) lines.push(lineValues);
  records.set(record, line);
}

function rowOf({ rows, cells, lines, problems }: Document, { field, amount }: DocumentLines): TableRow {
  const [first] = rows;
  const missingAmounts = { column: amount, what: 'is missing in all lines' };
  return {
    line: first?.line ?? 0,
    cells: lines.length === 0 ? cells : new Map([...cells, [field, lines]]),
    raw: rows.map(({ raw }) => raw).join(rawSeparator),
    problems: lines.length === 0 && problems.length === 0 ? [missingAmounts] : problems,
  };
}

function isReported({ problems }: Document, name: string): boolean {
  return problems.some(({ column, what: message }) => column === name && message.startsWith('differs'));
}

function isBlank(cell: unknown): boolean {
  return cell === null || cell === undefined || (typeof cell === 'string' && cell.trim() === '');
}

function trimmedText(cell: unknown): string {
  return String(cell).trim();
}
