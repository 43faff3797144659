/** A record as the body of an update: what a write would have to send to leave it as it is. */

import { decimalForm, inexactness } from '../base/number-text.ts';
import { isRow, type Row } from '../client/shape.ts';
import type { Field, Fields, Kind } from '../contract/field.ts';
import { includePaths } from '../contract/include.ts';
import { type BodyField, linkFields, type Operation } from '../contract/operation.ts';

/** Those that the record shows in a field; undefined where it shows none of that field. */
export function linksIn(record: Row | null | undefined, field: string): Row[] | undefined {
  const links = record?.[field];
  return Array.isArray(links) ? links.filter(isRow) : undefined;
}

/** The one to the record with this id. */
export function linkTo(
  record: Row | null | undefined,
  field: string,
  id: string | undefined,
): Row | undefined {
  return linksIn(record, field)?.find((link) => String(link.id) === id);
}

/** What it holds itself; nothing where there is no link. */
export function pivotOf(link: Row | undefined): Row {
  return isRow(link?.pivot) ? link.pivot : {};
}

/** Converts a link as requests have it to the shape of answers, where what it holds itself is in `pivot`. */
export function linkShown(link: unknown): Row {
  const { id, ...pivot } = isRow(link) ? link : { id: link };
  return Object.keys(pivot).length === 0 ? { id } : { id, pivot };
}

/** The relations that have to be included for `bodyFrom` to see every field that a write takes. */
export function relationsNeeded({ body }: Pick<Operation, 'body'>): string[] {
  return body.flatMap(({ shown, field }) => includePaths(shown, field));
}

export interface RecordBody {
  /** Every field that the operation takes and the record shows, in the shape in which it is sent. Never a secret. */
  body: Row;
  /** Fields that the record doesn't show, so that nothing is known of them; secrets are always among them. */
  unknown: string[];
}

/** A record as it is, with all that an update of it may send, and the fields that can't be known. */
export type Current = { id: string; record: Row } & RecordBody;

/** What a write would have to send to leave the record as it is. */
export function bodyFrom({ body }: Pick<Operation, 'body'>, record: Row): RecordBody {
  const sent: Row = {};
  const unknown: string[] = [];
  for (const entry of body) {
    const { name, field } = entry;
    if (field.traits.ignored) continue;
    const value = field.isHidden ? undefined : shownValue(entry, record);
    if (value === undefined && !hasNone(field)) unknown.push(name);
    // What is empty and can't be cleared is left out: there is nothing to say about it.
    else if (value !== undefined && (value !== null || field.traits.nullable))
      sent[name] = asSent(field, value);
  }
  return { body: sent, unknown };
}

/** A relation that was included, can't be null and is missing: the record has none. */
function hasNone({ kind, traits }: Field): boolean {
  return kind === 'one' && traits.includable === true && !traits.nullable;
}

function shownValue({ name, shown, field }: BodyField, record: Row): unknown {
  if (Object.hasOwn(record, shown)) return record[shown];
  // Some services show a relation to one record by its id alone.
  return field.kind === 'one' && Object.hasOwn(record, name) ? record[name] : undefined;
}

const same = (value: unknown): unknown => value;
/** Keeps a text that would become another number, so that the checks report it. */
const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && decimalForm.test(value) && inexactness(value) === undefined
    ? Number(value)
    : value;

/** Answers may hold a number as text or 1 for true (see the resources); requests have one form. */
const sending: Readonly<Record<Kind, (value: unknown, field: Field) => unknown>> = {
  text: same,
  integer: asNumber,
  decimal: asNumber,
  boolean: (value) => value === true || value === 1 || value === '1' || value === 'true',
  date: same,
  timestamp: same,
  choice: asNumber,
  numeric_text: (value) => String(value),
  unit: same,
  hour: same,
  words: same,
  integers: same,
  ids: same,
  ring: same,
  one: (value) => (isRow(value) ? value.id : value),
  many: (value, field) => (Array.isArray(value) ? value.map((link) => linkSent(field, link)) : value),
  object: same,
  objects: (value, { traits: { fields = {} } }) =>
    Array.isArray(value) ? value.filter(isRow).map((item) => partSent(fields, item)) : value,
};

function asSent(field: Field, value: unknown): unknown {
  return value === null || value === undefined ? value : sending[field.kind](value, field);
}

/** `{id, pivot: {quantity, variance}}` goes out as `{id, quantity}`: what a request may give of the pivot. */
function linkSent(field: Field, link: unknown): unknown {
  if (!isRow(link)) return { id: link };
  const pivot = pivotOf(link);
  const held = linkFields(field).flatMap(({ name, field: inner }) =>
    pivot[name] === undefined || (pivot[name] === null && !inner.traits.nullable)
      ? []
      : [[name, asSent(inner, pivot[name])] as const],
  );
  return { id: link.id, ...Object.fromEntries(held) };
}

/** A nested object with the fields that can be sent; its id says which one it is. */
function partSent(fields: Fields, part: Row): Row {
  const entries = Object.entries(fields).flatMap(([name, field]) => {
    if (name === 'id') return part.id === undefined ? [] : [['id', part.id] as const];
    const sentName = field.kind === 'one' ? `${name}_id` : name;
    const value = part[name] ?? part[sentName];
    if (field.traits.written === undefined || value === undefined) return [];
    return value === null && !field.traits.nullable ? [] : [[sentName, asSent(field, value)] as const];
  });
  return Object.fromEntries(entries);
}
