/** Parses the cells of one row and validates them. */

import type { Row } from '../../../account/session/row.ts';
import { toApiTimestamp } from '../../../api/contract/date-formats.ts';
import type { Field } from '../../../api/contract/field.ts';
import { hasLineBreaks } from '../../../api/contract/normalize-key.ts';
import { type BodyField, type Operation, operation } from '../../../api/contract/operation.ts';
import { withPhonesNormalized } from '../../../api/contract/phone-numbers.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { Failure } from '../../../base/errors.ts';
import { shortenValue } from '../../../base/short-value.ts';
import { bodyProblems } from '../../runs/decide.ts';
import { type Intent, secretPlaceholder } from '../../runs/ledger/row.ts';
import { type Column, columnsOf } from '../../tables/columns/columns.ts';
import { suspectTextProblem } from '../../tables/columns/damage.ts';
import type { ColumnFor } from '../../tables/columns/match-header.ts';
import { isEmptyText } from '../../tables/columns/normalize-cell-text.ts';
import { type ImportOptions, importModes } from '../../tables/columns/options.ts';
import { ambiguousNumber, type ValueFormats } from '../../tables/columns/parse-cell.ts';
import {
  type CellReadOptions,
  cellDisplayText,
  isAmbiguousCell,
  parseCell,
  textProblemOf,
} from '../../tables/columns/table-cell.ts';
import {
  isSpreadsheetFormat,
  type RowProblem,
  type TableFormat,
  type TableRow,
  unreadableCells,
} from '../../tables/table.ts';

/** The options for reading the rows of a file, the same for all rows. */
export interface RowReadOptions {
  resource: Resource;
  format: TableFormat;
  columnFor: ColumnFor;
  formats: ValueFormats;
  options: ImportOptions;
  /** Removes the apostrophe that an export writes before cells that spreadsheets would run as formulas. */
  unguardCell(text: string): string;
  /** Called for each cell with a word that programs write for an empty value. Without it, they are values. */
  onEmptyWord?: ((word: string) => void) | undefined;
}

export interface ParsedRow {
  intent: Intent;
  problems: RowProblem[];
  /** The names of columns that contain secrets. */
  secrets: string[];
  /** Whether the row contains names of other records. */
  hasRelations: boolean;
}

/** A column with its properties, prepared once for all rows. */
interface PreparedColumn {
  /** The column, with its name in the file. */
  column: Column;
  requestName: string;
  isSecret: boolean;
  isRelation: boolean;
  isText: boolean;
}

/** The values and problems of a row that is being read. */
interface RowValues extends ParsedRow {
  /** The values by the names of request fields; undefined if a value can't be read. */
  values: Row;
  columns: Column[];
  written: Record<string, string> | undefined;
  doubts: Record<string, RowProblem> | undefined;
}

export function rowParser(reading: RowReadOptions): (row: TableRow) => ParsedRow {
  const { resource, columnFor, options } = reading;
  const cellOptions = {
    ...reading,
    nullText: options.nullText,
    isOfOtherAccount: options.isReadOnlyIgnored,
    ignoresTextProblems: true,
  };
  const secretNames = secretFieldNames(resource);
  const phoneFields = Object.entries(resource.fields);
  const preparedColumns = new Map<string, PreparedColumn | undefined>();
  const preparedColumnOf = (name: string) => {
    if (!preparedColumns.has(name)) preparedColumns.set(name, prepareColumn(name, columnFor(name)));
    return preparedColumns.get(name);
  };

  return (row) => {
    const intent: Intent = { command: options.mode, body: {} };
    const empty = { values: {}, columns: [], written: undefined, doubts: undefined };
    const result: RowValues = {
      intent,
      problems: [...row.problems],
      secrets: [],
      hasRelations: false,
      ...empty,
    };
    // If a row can't be read, its cells are unknown.
    if (row.cells.size === 0 && row.problems.length > 0) return result;
    const isUnreadable = unreadableCells(row);
    for (const [name, cell] of row.cells) {
      const prepared = preparedColumnOf(name);
      if (prepared && !isUnreadable(name)) addCell(result, cell, prepared, cellOptions);
    }
    if (options.normalizesPhones) normalizePhones(result, phoneFields);
    const { values, columns, written, doubts, problems, secrets, hasRelations } = result;
    const body = intent.command === 'delete' ? values : withoutUndefined(values);
    if (intent.command !== 'delete') problems.push(...bodyProblems(importOperation(resource), body, columns));
    intent.body = secrets.length === 0 ? body : redactBody(body, secretNames);
    if (written) intent.written = written;
    if (doubts) intent.doubts = doubts;
    return { intent, problems, secrets, hasRelations };
  };
}

/** Normalizes phone numbers. A number that contradicts itself is a problem of its cell. */
function normalizePhones(result: RowValues, fields: readonly (readonly [string, Field])[]): void {
  const { body, problems } = withPhonesNormalized(fields, result.values);
  for (const name of Object.keys(result.doubts ?? {}))
    if (body[name] !== result.values[name]) delete result.doubts?.[name];
  result.values = body;
  for (const [fieldName, message] of Object.entries(problems)) {
    const column = result.columns.find(({ responseName }) => responseName === fieldName)?.name ?? fieldName;
    result.problems.push({ column, what: message });
  }
}

type Reading = CellReadOptions & Pick<RowReadOptions, 'resource' | 'onEmptyWord' | 'options'>;

function addCell(result: RowValues, cell: unknown, prepared: PreparedColumn, reading: Reading): void {
  const { intent, problems } = result;
  const { format, formats, nullText } = reading;
  const { column } = prepared;
  const { role, name } = column;
  const text = cellDisplayText(cell, reading);
  // An empty cell leaves its field unchanged, unless empty cells clear fields (--null ''). In JSON an empty string is an
  // ordinary value.
  const isSheet = isSpreadsheetFormat(format);
  // A key may be such a word: it finds the record that has it, and is refused otherwise.
  const isKey = reading.options.key?.includes(column.responseName) === true;
  const acceptsWords = reading.onEmptyWord !== undefined && !isKey;
  const isEmpty = typeof cell === 'string' && (isSheet ? isEmptyText(text, { acceptsWords }) : text === '');
  const clearsField = role === 'value' && (!isSheet || nullText === '' || text.trim() === nullText);
  if (isEmpty && isSheet && text.trim() !== '' && !clearsField) reading.onEmptyWord?.(text.trim());
  if (isEmpty && !clearsField) return;
  // In JSON, null as the id means a new record; null in other such columns means no value.
  if (cell === null && role !== 'value') return;
  if (role === 'id') intent.id = text.trim() || String(cell);
  else if (role === 'command') parseCommand(intent, text || cell, name, problems);
  else if (role === 'updated_at') {
    intent.updatedAt = toApiTimestamp(text, formats.dates);
    if (intent.updatedAt === undefined)
      problems.push({
        column: name,
        what: `must be a time, as the export wrote it (to ignore the column: --map ${name}=)${formatCellValue(column, text)}`,
      });
  } else addValue(result, isEmpty && isSheet ? nullText : cell, text, prepared, reading);
}

function addValue(
  result: RowValues,
  cell: unknown,
  text: string,
  prepared: PreparedColumn,
  reading: Reading,
): void {
  const { column, requestName } = prepared;
  const { options } = reading;
  const { value, problem } = parseCell(reading.resource, column, cell, reading);
  const chooseDecimal = 'is ambiguous (to choose: --decimal comma or --decimal point)';
  if (problem !== undefined) {
    const what = problem === ambiguousNumber ? chooseDecimal : problem;
    result.problems.push({ column: column.name, what: `${what}${formatCellValue(column, text)}` });
  }
  const sameField = result.columns.find(({ responseName }) => responseName === column.responseName);
  if (sameField)
    result.problems.push({ column: column.name, what: `is the same field as ${sameField.name}` });
  result.columns.push(column);
  result.values[requestName] = value;
  result.hasRelations ||= prepared.isRelation;
  if (prepared.isSecret) {
    result.secrets.push(column.name);
    return;
  }
  const addAmbiguity = (message: string) => {
    result.doubts ??= {};
    result.doubts[requestName] = { column: column.name, what: message };
  };
  if (isAmbiguousCell(column, cell, reading)) addAmbiguity(`${chooseDecimal}: "${text}"`);
  const textProblem = prepared.isText && !options.acceptsDamage ? textProblemOf(column, cell) : undefined;
  if (textProblem !== undefined) addAmbiguity(`${textProblem}: "${text}"`);
  if (!column.field || typeof value !== 'string') return;
  const isSheet = isSpreadsheetFormat(reading.format);
  if (prepared.isText && isSheet && (value !== text || hasLineBreaks(text))) {
    result.written ??= {};
    result.written[requestName] = text;
  }
  // JSON has a null of its own.
  const isEmptyWord = isSheet && reading.onEmptyWord !== undefined && value !== '' && isEmptyText(value);
  const suspectProblem = isEmptyWord
    ? `may mean an empty value: "${value}"`
    : suspectTextProblem(column.field, value);
  if (suspectProblem !== undefined && !options.acceptsDamage) addAmbiguity(suspectProblem);
}

function prepareColumn(name: string, column: Column | undefined): PreparedColumn | undefined {
  if (!column) return undefined;
  const { field } = column;
  return {
    column: { ...column, name },
    requestName: (column.update ?? column.create)?.name ?? column.name,
    isSecret: field?.traits.secret === true,
    isRelation: field?.traits.target !== undefined || field?.kind === 'objects',
    isText: field?.kind === 'text',
  };
}

/** Returns the text of a cell for messages, in quotes. Returns '' for a secret. */
function formatCellValue({ field }: Column, text: string): string {
  return field?.traits.secret || text === '' ? '' : `: "${shortenValue(text)}"`;
}

function parseCommand(intent: Intent, value: unknown, name: string, problems: RowProblem[]): void {
  const word = String(value).trim().toLowerCase();
  const mode = importModes.find((candidate) => candidate === word);
  if (mode) intent.command = mode;
  else problems.push({ column: name, what: `must be create, update or delete: "${value}"` });
}

/** Returns the values without `undefined`, the value of unreadable cells. */
function withoutUndefined(values: Row): Row {
  const names = Object.keys(values);
  if (names.every((name) => values[name] !== undefined)) return values;
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

export function secretFieldNames(resource: Resource): ReadonlySet<string> {
  const secrets = columnsOf(resource).filter(({ field }) => field?.traits.secret);
  return new Set(
    secrets.flatMap(({ create, update }) => [create, update].flatMap((entry) => entry?.name ?? [])),
  );
}

function redactBody(body: Row, secrets: ReadonlySet<string>): Row {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, secrets.has(name) ? secretPlaceholder : value]),
  );
}

const importOperations = new WeakMap<Resource, Operation>();

/**
 * Returns an operation that accepts all fields of create and update and requires none. It validates a row before it is
 * known whether the row creates or updates a record.
 */
function importOperation(resource: Resource): Operation {
  const cached = importOperations.get(resource);
  if (cached) return cached;
  const [create, update] = [operation(resource, 'create'), operation(resource, 'update')];
  const base = update ?? create;
  if (!base) throw new Failure('usage', `${resource.command} can't be written, so nothing can be imported.`);
  const bodies = [...(update?.body ?? []), ...(create?.body ?? [])];
  const body = [...new Map(bodies.map((entry) => [entry.name, entry])).values()].map(
    (entry): BodyField => ({ ...entry, isRequired: false, mustBeSent: false }),
  );
  const writeOperation = { ...base, effect: 'update' as const, verb: 'import', body };
  importOperations.set(resource, writeOperation);
  return writeOperation;
}
