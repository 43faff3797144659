/** Formats the values of records as cells for every file format: the reverse of `parse-cell`. */

import { isDeleted } from '../../../account/session/list.ts';
import { bodyFrom } from '../../../account/session/record-body.ts';
import { isRow, type Row } from '../../../account/session/row.ts';
import { joinList } from '../../../api/contract/comma-list.ts';
import type { Kind } from '../../../api/contract/field.ts';
import { plainBodyField } from '../../../api/contract/operation.ts';
import { formatInput, wordOf } from '../../../api/contract/value-text.ts';
import { type Column, deletedColumn } from '../../tables/columns/columns.ts';
import type { TableFormat } from '../../tables/table.ts';
import type { RelatedNames } from './related-names.ts';

export interface ExportColumn extends Column {
  /** The names of the related records, for a relation column. If undefined, ids are written. */
  names?: RelatedNames | undefined;
  /** Returns the value of a record, for a column that isn't a field of responses. */
  read?: ((record: Row) => unknown) | undefined;
}

/** The type of the values of a kind of field, if requests and responses contain the same value. */
const plainTypes: Readonly<Partial<Record<Kind, string>>> = {
  text: 'string',
  date: 'string',
  numeric_text: 'string',
  unit: 'string',
  hour: 'string',
  integer: 'number',
  decimal: 'number',
  choice: 'number',
  boolean: 'boolean',
};

/** Returns a function that reads a column of a record. It returns undefined if the response doesn't contain the value. */
function createReader(column: ExportColumn): (record: Row) => unknown {
  const { name, field, responseName, role } = column;
  if (name === deletedColumn) return isDeleted;
  if (column.read) return column.read;
  if (!field || role === 'id' || role === 'updated_at') return (record) => record[responseName];
  if (role === 'note')
    return (record) => titlesOfRelated(record[responseName], name.slice(responseName.length + 1));
  const isRelation = field.kind === 'one' || field.kind === 'many';
  if (role === 'read_only' && !isRelation) return (record) => record[responseName];
  const defaultEntry = { ...plainBodyField(`${responseName}_id`, field), responseName };
  const entry = column.update ?? column.create ?? defaultEntry;
  const write = { body: [entry] };
  const plainType = plainTypes[field.kind];
  return (record) => {
    const value = record[responseName];
    if (typeof value === plainType && Object.hasOwn(record, responseName)) return value;
    return bodyFrom(write, record).body[entry.name];
  };
}

export function hasColumnValue(column: ExportColumn, record: Row): boolean {
  const { name, responseName } = column;
  const entry = column.update ?? column.create;
  return (
    name === deletedColumn ||
    Object.hasOwn(record, responseName) ||
    (entry !== undefined && Object.hasOwn(record, entry.name)) ||
    (column.field?.kind === 'one' && Object.hasOwn(record, `${responseName}_id`))
  );
}

/**
 * Returns a function that formats a column of a record for CSV, where a missing value is an empty cell. Create it once for
 * each file.
 */
export function textFormatter(column: ExportColumn): (record: Row) => string {
  const read = createReader(column);
  const toText = valueFormatter(column);
  return (record) => {
    const value = read(record);
    if (value === null || value === undefined) return '';
    return toText(value, record);
  };
}

function valueFormatter(column: ExportColumn): (value: unknown, record: Row) => string {
  const { field, role } = column;
  if (!field || role === 'note')
    return (value) => (Array.isArray(value) ? joinList(value.map(String)) : formatValue(value));
  const format = (value: unknown) => formatInput(field, value) ?? formatValue(value);
  switch (field.kind) {
    case 'text':
      return (value) => (typeof value === 'string' ? value : format(value));
    case 'choice':
      return memoize(format);
    case 'one':
      return (value, record) => createNameLookup(column, record)(String(value));
    case 'many':
      return (value, record) => {
        if (!Array.isArray(value)) return format(value);
        const nameOf = createNameLookup(column, record);
        const links = value.map((link) => (isRow(link) ? { ...link, id: nameOf(String(link.id)) } : link));
        return formatInput(field, links) ?? JSON.stringify(links);
      };
    default: {
      const plainType = plainTypes[field.kind];
      return (value) => (typeof value === plainType ? String(value) : format(value));
    }
  }
}

/** Returns a function that caches its results. For enumerations, which have few values. */
function memoize<Text>(convert: (value: unknown) => Text): (value: unknown) => Text {
  const results = new Map<unknown, Text>();
  return (value) => {
    const cached = results.get(value);
    if (cached !== undefined) return cached;
    const text = convert(value);
    if (typeof value === 'number') results.set(value, text);
    return text;
  };
}

/** Returns a function that converts a column of a record for JSON. It returns undefined if the record has no value for it. */
export function jsonFormatter(column: ExportColumn): (record: Row) => unknown {
  const read = createReader(column);
  const toJson = jsonConverter(column);
  return (record) => {
    const value = read(record);
    return value === null || value === undefined ? value : toJson(value, record);
  };
}

function jsonConverter(column: ExportColumn): (value: unknown, record: Row) => unknown {
  const { field, role } = column;
  if (!field || role === 'note') return (value) => value;
  const toWord = memoize((value) => wordOf(field, value) ?? value);
  switch (field.kind) {
    case 'choice':
      return toWord;
    case 'integers':
      return (value) => (Array.isArray(value) ? value.map((item) => toWord(item)) : value);
    case 'one':
      return (value, record) => createNameLookup(column, record)(String(value));
    case 'many':
      return (value, record) =>
        Array.isArray(value) ? jsonLinks(value, createNameLookup(column, record)) : value;
    default:
      return (value) => value;
  }
}

function jsonLinks(links: readonly unknown[], nameOf: (id: string) => string): unknown[] {
  return links.map((link) => {
    if (!isRow(link)) return link;
    const [id, name] = [String(link.id), nameOf(String(link.id))];
    if (Object.keys(link).length === 1) return name;
    // In a link that has other values, an id is written as it is, and a name with @.
    return { ...link, id: name === id ? id : `@${name}` };
  });
}

function formatValue(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function relatedRecords({ responseName }: ExportColumn, record: Row): Row[] {
  const value = record[responseName];
  return (Array.isArray(value) ? value : [value]).filter(isRow);
}

function createNameLookup(column: ExportColumn, record: Row): (id: string) => string {
  const { names } = column;
  if (!names) return (id) => id;
  const relatedRows = relatedRecords(column, record);
  return (id) => names.nameOf(relatedRows.find((row) => row.id === id) ?? { id });
}

function titlesOfRelated(related: unknown, title: string): unknown {
  if (Array.isArray(related)) return related.map((row) => (isRow(row) ? (row[title] ?? '') : ''));
  return isRow(related) ? related[title] : undefined;
}

export interface FormatOptions {
  format: TableFormat;
  /** The name of the sheet in a workbook. */
  sheet: string;
  /** Whether the file has a byte order mark and CRLF. */
  isForSpreadsheets: boolean;
  /** Returns a cell of CSV, quoted if necessary. In files for people, formulas are guarded. */
  csvCell(text: string): string;
  /**
   * Returns a cell that spreadsheets don't run as a formula. `unguardCell` reverses it, which an import does for every
   * cell.
   */
  guardCell(text: string): string;
  unguardCell(text: string): string;
}

/** Writes the parts of a file. */
export interface RowWriter {
  /** Returns the start of the file. `expectedRows` is the number of rows that the service reports. */
  begin(expectedRows: number | undefined): string;
  rows(records: readonly Row[]): string;
  end(): string;
}
