/** From a record to what stands in its row of a file, and what every form of text needs for it: the other direction of `read-cell`. */

import type { Kind } from '../../contract/field.ts';
import { joinList } from '../../contract/list-text.ts';
import { inputText, wordOf } from '../../contract/text.ts';
import { isDeleted } from '../../session/list.ts';
import { bodyFrom } from '../../session/record-body.ts';
import { isRow, type Row } from '../../session/row.ts';
import { type Column, deletedColumn } from '../../tables/columns/columns.ts';
import type { TableForm } from '../../tables/table.ts';
import type { RelatedNames } from './related-names.ts';

export interface OutColumn extends Column {
  /** Of a relation whose records have names; else they stand by their ids. */
  names?: RelatedNames | undefined;
}

/** Kinds of which an answer holds what a request would, where it holds a value of this type: nearly always. */
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

/** What a column says of a record; undefined where the answer doesn’t show it, or nothing can be said. */
function readerOf(column: OutColumn): (record: Row) => unknown {
  const { name, field, shown, role } = column;
  if (name === deletedColumn) return isDeleted;
  if (!field || role === 'id' || role === 'updated_at') return (record) => record[shown];
  if (role === 'remark') return (record) => titlesOf(record[shown], name.slice(shown.length + 1));
  const isRelation = field.kind === 'one' || field.kind === 'many';
  if (role === 'read_only' && !isRelation) return (record) => record[shown];
  const usual = { name: `${shown}_id`, shown, field, isRequired: false, mustBeGiven: false };
  const entry = column.update ?? column.create ?? usual;
  const asked = { body: [entry] };
  const plain = plainTypes[field.kind];
  return (record) => {
    const value = record[shown];
    if (typeof value === plain && Object.hasOwn(record, shown)) return value;
    return bodyFrom(asked, record).body[entry.name];
  };
}

/** Whether the answer shows anything that the column could hold. */
export function isShown(column: OutColumn, record: Row): boolean {
  const { name, shown } = column;
  const entry = column.update ?? column.create;
  return (
    name === deletedColumn ||
    Object.hasOwn(record, shown) ||
    (entry !== undefined && Object.hasOwn(record, entry.name)) ||
    (column.field?.kind === 'one' && Object.hasOwn(record, `${shown}_id`))
  );
}

/** Reads a column of one record after another as CSV has it: what is empty is an empty cell. Made once for a file. */
export function textReader(column: OutColumn): (record: Row) => string {
  const said = readerOf(column);
  const textOf = textIn(column);
  return (record) => {
    const value = said(record);
    if (value === null || value === undefined) return '';
    return textOf(value, record);
  };
}

function textIn(column: OutColumn): (value: unknown, record: Row) => string {
  const { field, role } = column;
  if (!field || role === 'remark')
    return (value) => (Array.isArray(value) ? joinList(value.map(String)) : plainly(value));
  const typed = (value: unknown) => inputText(field, value) ?? plainly(value);
  switch (field.kind) {
    case 'text':
      return (value) => (typeof value === 'string' ? value : typed(value));
    case 'choice':
      return remembering(typed);
    case 'one':
      return (value, record) => namesFor(column, record)(String(value));
    case 'many':
      return (value, record) => {
        if (!Array.isArray(value)) return typed(value);
        const nameOf = namesFor(column, record);
        const links = value.map((link) => (isRow(link) ? { ...link, id: nameOf(String(link.id)) } : link));
        return inputText(field, links) ?? JSON.stringify(links);
      };
    default: {
      const plain = plainTypes[field.kind];
      return (value) => (typeof value === plain ? String(value) : typed(value));
    }
  }
}

/** An enumeration has few values. */
function remembering<Said>(say: (value: unknown) => Said): (value: unknown) => Said {
  const known = new Map<unknown, Said>();
  return (value) => {
    const before = known.get(value);
    if (before !== undefined) return before;
    const said = say(value);
    if (typeof value === 'number') known.set(value, said);
    return said;
  };
}

/** The same as JSON has it; undefined where nothing can be said of a record. */
export function jsonReader(column: OutColumn): (record: Row) => unknown {
  const said = readerOf(column);
  const shownOf = jsonIn(column);
  return (record) => {
    const value = said(record);
    return value === null || value === undefined ? value : shownOf(value, record);
  };
}

function jsonIn(column: OutColumn): (value: unknown, record: Row) => unknown {
  const { field, role } = column;
  if (!field || role === 'remark') return (value) => value;
  const worded = remembering((value) => wordOf(field, value) ?? value);
  switch (field.kind) {
    case 'choice':
      return worded;
    case 'integers':
      return (value) => (Array.isArray(value) ? value.map((item) => worded(item)) : value);
    case 'one':
      return (value, record) => namesFor(column, record)(String(value));
    case 'many':
      return (value, record) => (Array.isArray(value) ? jsonLinks(value, namesFor(column, record)) : value);
    default:
      return (value) => value;
  }
}

function jsonLinks(links: readonly unknown[], nameOf: (id: string) => string): unknown[] {
  return links.map((link) => {
    if (!isRow(link)) return link;
    const [id, name] = [String(link.id), nameOf(String(link.id))];
    if (Object.keys(link).length === 1) return name;
    // Beside other values an id is an id: names have their @.
    return { ...link, id: name === id ? id : `@${name}` };
  });
}

function plainly(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The records that a relation of this one shows. */
export function relatedIn({ shown }: OutColumn, record: Row): Row[] {
  const value = record[shown];
  return (Array.isArray(value) ? value : [value]).filter(isRow);
}

function namesFor(column: OutColumn, record: Row): (id: string) => string {
  const { names } = column;
  if (!names) return (id) => id;
  const related = relatedIn(column, record);
  return (id) => names.nameOf(related.find((row) => row.id === id) ?? { id });
}

function titlesOf(related: unknown, title: string): unknown {
  if (Array.isArray(related)) return related.map((row) => (isRow(row) ? (row[title] ?? '') : ''));
  return isRow(related) ? related[title] : undefined;
}

export interface TextOptions {
  form: TableForm;
  /** The name of the sheet, in a workbook. */
  sheet: string;
  /** With a byte order mark and CRLF. */
  isForSpreadsheets: boolean;
  /** The text of a cell as it stands in CSV: guarded like that of a list, and quoted where it needs that. */
  csvCell(text: string): string;
  /** Makes a cell harmless for spreadsheets, and `plainCell` takes that back: an import does so with every cell. */
  guard(text: string): string;
  plainCell(text: string): string;
}

export interface RowsText {
  /** `expected` is how many rows the service says that there are. */
  begin(expected: number | undefined): string;
  rows(records: readonly Row[]): string;
  end(): string;
}
