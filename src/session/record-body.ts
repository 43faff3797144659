/** Converts a record to the body of an update: the values that a write would send to leave it unchanged. */

import { decimalForm, inexactness } from '../base/number-text.ts';
import { isRow, type Row } from '../client/shape.ts';
import type { Field, Fields, Kind } from '../contract/field.ts';
import { includePaths } from '../contract/include.ts';
import { type BodyField, linkFields, type Operation } from '../contract/operation.ts';

/** Returns the links in a field of a record; undefined if the record doesn't show the field. */
export function linksIn(record: Row | null | undefined, field: string): Row[] | undefined {
  const links = record?.[field];
  return Array.isArray(links) ? links.filter(isRow) : undefined;
}

/** Returns the link to the record with this id. */
export function linkTo(
  record: Row | null | undefined,
  field: string,
  id: string | undefined,
): Row | undefined {
  return linksIn(record, field)?.find((link) => String(link.id) === id);
}

/** Returns the values of a link; empty without a link. */
export function pivotOf(link: Row | undefined): Row {
  return isRow(link?.pivot) ? link.pivot : {};
}

/** Converts a link from the form of requests to that of answers, with its values in `pivot`. */
export function linkShown(link: unknown): Row {
  const { id, ...pivot } = isRow(link) ? link : { id: link };
  return Object.keys(pivot).length === 0 ? { id } : { id, pivot };
}

/** Returns the relations to include so that `bodyFrom` knows every field that a write accepts. */
export function relationsNeeded({ body }: Pick<Operation, 'body'>): string[] {
  return body.flatMap(({ shown, field }) => includePaths(shown, field));
}

export interface RecordBody {
  /**
   * Every field that the operation accepts and the record shows, in the form of requests. Never contains a secret.
   */
  body: Row;
  /** Fields that the record doesn't show; always includes secrets. */
  unknown: string[];
}

/** A record with all values that an update of it may send, and its unknown fields. */
export type Current = { id: string; record: Row } & RecordBody;

/** Returns the body that would leave the record unchanged. */
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

/** Returns whether a relation that was included and can't be null is missing: then the record has none. */
function hasNone({ kind, traits }: Field): boolean {
  return kind === 'one' && traits.includable === true && !traits.nullable;
}

function shownValue({ name, shown, field }: BodyField, record: Row): unknown {
  if (Object.hasOwn(record, shown)) return record[shown];
  // Some services show a relation to one record by its id alone.
  return field.kind === 'one' && Object.hasOwn(record, name) ? record[name] : undefined;
}

const same = (value: unknown): unknown => value;
/** Converts text to a number. Keeps a text that would become another number, so that the checks report it. */
const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && decimalForm.test(value) && inexactness(value) === undefined
    ? Number(value)
    : value;

/**
 * Conversions by kind: answers may have numbers as text or 1 for true (see the resources), requests have one form.
 */
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

/** Converts `{id, pivot: {quantity, variance}}` to `{id, quantity}`: the part of the pivot that a request accepts. */
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

/** Converts a nested object to the fields that can be sent, with its id. */
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
