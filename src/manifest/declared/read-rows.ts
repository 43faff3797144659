/** Reads a table as a manifest: each row is a record, with the same columns as an import. */

import { Readable } from 'node:stream';
import { Failure } from '../../base/errors.ts';
import { formatHint } from '../../base/hint.ts';
import { detectFormats } from '../../bulk/plan/detect-formats.ts';
import type { Field } from '../../contract/field.ts';
import { nestedFields } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { withArticle } from '../../contract/wording.ts';
import { isRow } from '../../session/row.ts';
import { type Column, columnNamesOf } from '../../tables/columns/columns.ts';
import { matchHeader } from '../../tables/columns/match-header.ts';
import { shortenedNumberProblem } from '../../tables/columns/normalize-cell-text.ts';
import { type CellReadOptions, cellDisplayText, parseCell } from '../../tables/columns/table-cell.ts';
import { openInputFile } from '../../tables/input-file.ts';
import { openTable } from '../../tables/open-table.ts';
import { isSpreadsheetFormat, nullCell, type TableRow, unreadableCells } from '../../tables/table.ts';
import { type FileLocation, plainLocation } from '../source/node.ts';
import type { DeclaredValue } from './declared.ts';
import { type ManifestField, manifestFields } from './fields.ts';
import { defaultKey } from './read-key.ts';
import type { RecordReading } from './read-records.ts';
import { Ref } from './ref.ts';

/** The options for reading a table. */
export interface TableReading extends RecordReading {
  /** Removes the prefix that an export adds to cells that spreadsheets would run as formulas. */
  unescapeFormula(text: string): string;
  /** Called with a note for the user on how the table is read. */
  onNote(note: string): void;
}

/** Reads a table. The column of a location is the number of the cell. Adds problems to the mistakes. */
export async function readTable(file: string, resource: Resource, reading: TableReading): Promise<void> {
  const { mistakes, onResource } = reading;
  onResource(resource);
  if (!resource.key.some((name) => manifestFields(resource).has(name))) {
    const what = `is a table of ${resource.nouns}, which have no natural key: declare them in YAML or JSON, with $key`;
    mistakes.add({ file, line: 1, column: 1 }, what);
    reading.onUnread(resource);
    return;
  }
  try {
    await readEachRow(file, resource, reading);
  } catch (error) {
    if (!(error instanceof Failure) || error.category !== 'usage') throw error;
    reading.onUnread(resource);
    mistakes.add({ file, line: 1, column: 1 }, mistakeText(error));
  }
}

/**
 * Returns a failure as the text of a mistake: the other files are still read, so that all mistakes are reported at
 * once.
 */
function mistakeText({ message, details: { hint, fields } }: Failure): string {
  const parts = [
    message,
    ...Object.values(fields ?? {}).flat(),
    ...(hint === undefined ? [] : [formatHint(hint)]),
  ];
  const text = parts.join(' ').replace(/\.$/, '');
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Reads each row. Throws `usage` if the file is not a table. */
async function readEachRow(file: string, resource: Resource, reading: TableReading): Promise<void> {
  const { mistakes } = reading;
  const source = await openInputFile(file, { stdin: Readable.from([]) });
  const hasFlags = false;
  const known = columnNamesOf(resource);
  const table = await openTable(source, { headerNames: known, defaultSheet: resource.command, hasFlags });
  for (const note of table.notes ?? []) reading.onNote(note);
  const options = { map: new Map<string, string>(), isReadOnlyIgnored: true, mode: 'upsert' as const };
  const { columnFor, problems } = matchHeader(resource, options, table.columns);
  const formats = await detectFormats({ table, columnFor, label: source.label, hasFlags });
  const cells = {
    format: table.format,
    formats,
    nullText: nullCell,
    unescapeFormula: reading.unescapeFormula,
  };
  const rows = new RowReader(resource, columnFor, cells, reading);
  let reportedCount = 0;
  for await (const row of table.rows()) {
    const location = new RowLocation(file, row.line, table.columns ?? [...row.cells.keys()]);
    rows.read(row, location);
    for (const { name, what } of problems.slice(reportedCount)) {
      const line = table.columns ? 1 : row.line;
      mistakes.add({ ...plainLocation(location.cell(name)), line }, `${name} ${what.replace(/\.$/, '')}`);
    }
    reportedCount = problems.length;
  }
  await source.refuseChanged();
}

/** The location of a row and of its cells. */
class RowLocation implements FileLocation {
  readonly file: string;
  readonly line: number;
  readonly column = 1;
  readonly #columns: readonly string[];

  constructor(file: string, line: number, columns: readonly string[]) {
    this.file = file;
    this.line = line;
    this.#columns = columns;
  }

  /** Returns the location of a cell, or of the first column for the row as a whole. */
  cell(name = ''): FileLocation {
    const { file, line } = this;
    return { file, line, column: Math.max(0, this.#columns.indexOf(name)) + 1 };
  }
}

class RowReader {
  readonly #resource: Resource;
  readonly #columnFor: (name: string) => Column | undefined;
  readonly #cells: CellReadOptions;
  readonly #reading: RecordReading;
  readonly #fields: ReadonlyMap<string, ManifestField>;

  constructor(
    resource: Resource,
    columnFor: (name: string) => Column | undefined,
    cells: CellReadOptions,
    reading: RecordReading,
  ) {
    this.#resource = resource;
    this.#columnFor = columnFor;
    this.#cells = cells;
    this.#reading = reading;
    this.#fields = manifestFields(resource);
  }

  read(row: TableRow, location: RowLocation): void {
    const { mistakes, onRecord } = this.#reading;
    const before = mistakes.count;
    for (const { column, what } of row.problems) mistakes.add(location.cell(column), what);
    const given = new Map<string, DeclaredValue>();
    const isWrong = unreadableCells(row);
    for (const [name, cell] of row.cells) {
      if (isWrong(name)) continue;
      const field = this.#fieldIn(name, cell, location);
      const value = field && this.#valueIn(name, cell, field, location);
      if (field && value !== undefined)
        given.set(field.name, { field, value, location: location.cell(name) });
    }
    const resource = this.#resource;
    if (mistakes.count > before) {
      this.#reading.onUnread(resource);
      return;
    }
    const key = defaultKey(resource, given);
    if (key) {
      const record = { resource, location, key: [key], oldKey: undefined, isExact: undefined, given };
      onRecord({ record, node: undefined });
      return;
    }
    this.#reading.onUnread(resource);
    const known = resource.key.join(' or ');
    mistakes.add(location, `has no ${known}, which identifies ${withArticle(resource.noun)}`);
  }

  /** Returns the declared field of a cell; undefined if the cell doesn't declare a value. */
  #fieldIn(name: string, cell: unknown, location: RowLocation): ManifestField | undefined {
    const { command } = this.#resource;
    const column = this.#columnFor(name);
    if (!column) return undefined;
    const isEmpty =
      isSpreadsheetFormat(this.#cells.format) &&
      typeof cell === 'string' &&
      cellDisplayText(cell, this.#cells).trim() === '';
    // Commands in a row are for imports only: here each row declares a record.
    if (column.role === 'command' && !isEmpty && cell !== null)
      this.#reading.mistakes.add(location.cell(name), `${name} can only be used with boh ${command} import`);
    const field = column.role === 'value' && !isEmpty ? this.#fields.get(column.responseName) : undefined;
    if (!field?.field.traits.secret) return field;
    this.#reading.mistakes.add(location.cell(name), `${name} is a secret and can't be in a file`);
    return undefined;
  }

  #valueIn(name: string, cell: unknown, field: ManifestField, location: RowLocation): unknown {
    const column = this.#columnFor(name) as Column;
    const read = parseCell(this.#resource, column, cell, this.#cells);
    const isText =
      isSpreadsheetFormat(this.#cells.format) &&
      field.field.kind === 'text' &&
      typeof read.value === 'string';
    const problem = read.problem ?? (isText ? shortenedNumberProblem(read.value as string) : undefined);
    if (problem === undefined) return withRefs(read.value, field, () => location.cell(name));
    this.#reading.mistakes.add(location.cell(name), `${name} ${problem}`);
    return undefined;
  }
}

/**
 * Replaces names by references. A cell contains `@NAME`, or an ID, which exports write if the name is ambiguous.
 */
function withRefs(value: unknown, { field }: ManifestField, at: () => FileLocation): unknown {
  const { target = '', targetFilter } = field.traits;
  const ref = (text: string) => {
    const name = text.startsWith('@') ? text.slice(1) : undefined;
    return new Ref(
      target,
      name === undefined ? { kind: 'id', id: text } : { kind: 'text', text: name, orId: true },
      at(),
      targetFilter,
    );
  };
  if (field.kind === 'one' && typeof value === 'string') return ref(value);
  if (field.kind !== 'many' || !Array.isArray(value)) return withRefsInside(value, field, at);
  return value.map((link: { id: string }) => ({ ...link, id: ref(link.id) }));
}

/** Replaces the IDs in a JSON cell by references; JSON cells contain no names. */
function withRefsInside(value: unknown, field: Field, at: () => FileLocation): unknown {
  if (value === null || (typeof value !== 'object' && field.kind !== 'one')) return value;
  const { target = '', targetFilter } = field.traits;
  const ref = (id: unknown) =>
    typeof id === 'string' && id !== '' ? new Ref(target, { kind: 'id', id }, at(), targetFilter) : id;
  const inside = (item: unknown): unknown => {
    if (!isRow(item)) return item;
    if (field.kind === 'many') return { ...item, id: ref(item.id) };
    const entries = nestedFields(field).filter(({ name }) => Object.hasOwn(item, name));
    const read = entries.map((entry) => [entry.name, withRefsInside(item[entry.name], entry.field, at)]);
    return { ...item, ...Object.fromEntries(read) };
  };
  if (field.kind === 'one') return ref(value);
  if (field.kind === 'object') return inside(value);
  const isOfRecords = field.kind === 'many' || field.kind === 'objects';
  return isOfRecords && Array.isArray(value) ? value.map(inside) : value;
}
