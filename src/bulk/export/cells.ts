/** From a record to what stands in its row of a file: the other direction of `read-cell`. */
import type { Kind } from '../../contract/field.ts';
import { joinList } from '../../contract/list-text.ts';
import { typedText, wordOf } from '../../contract/text.ts';
import { isDeleted } from '../../session/list.ts';
import { bodyFrom } from '../../session/record-body.ts';
import { isRow, type Row } from '../../session/row.ts';
import { type Column, deletedColumn } from '../columns/columns.ts';
import type { RelatedNames } from './related-names.ts';

export interface OutColumn extends Column {
  /** Of a relation whose records have names; else they stand by their ids. */
  names?: RelatedNames | undefined;
}

const readers = new WeakMap<OutColumn, (record: Row) => unknown>();

/** What a column says of a record; undefined where the answer doesn’t show it, or nothing can be said. */
export function saidBy(column: OutColumn, record: Row): unknown {
  let reader = readers.get(column);
  if (!reader) {
    reader = readerOf(column);
    readers.set(column, reader);
  }
  return reader(record);
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

/** Made once for a file: a million rows have many cells. */
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

/** As CSV has it. What is empty is an empty cell. */
export function textCell(column: OutColumn, record: Row): string {
  const value = saidBy(column, record);
  if (value === null || value === undefined) return '';
  if (typeof value === 'string' && column.field?.kind === 'text') return value;
  const { field, role } = column;
  if (!field || role === 'remark') return Array.isArray(value) ? joinList(value.map(String)) : plainly(value);
  if (field.kind === 'one') return namesFor(column, record)(String(value));
  if (field.kind !== 'many' || !Array.isArray(value)) return typedText(field, value) ?? plainly(value);
  const nameOf = namesFor(column, record);
  const links = value.map((link) => (isRow(link) ? { ...link, id: nameOf(String(link.id)) } : link));
  return typedText(field, links) ?? JSON.stringify(links);
}

/** As JSON has it. */
export function jsonCell(column: OutColumn, record: Row): unknown {
  const value = saidBy(column, record);
  if (value === null || value === undefined) return value;
  const { field, role } = column;
  if (!field || role === 'remark') return value;
  if (field.kind === 'choice') return wordFor(column, value);
  if (field.kind === 'integers' && Array.isArray(value)) return value.map((item) => wordFor(column, item));
  if (field.kind === 'one') return namesFor(column, record)(String(value));
  if (field.kind !== 'many' || !Array.isArray(value)) return value;
  const nameOf = namesFor(column, record);
  return value.map((link) => {
    if (!isRow(link)) return link;
    const [id, name] = [String(link.id), nameOf(String(link.id))];
    if (Object.keys(link).length === 1) return name;
    // Beside other values an id is an id: names have their @.
    return { ...link, id: name === id ? id : `@${name}` };
  });
}

function wordFor({ field }: OutColumn, value: unknown): unknown {
  return (field && wordOf(field, value)) ?? value;
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
