/** Converts a record to the body of an update that would leave it unchanged. */

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
export function toResponseLink(link: unknown): Row {
  const { id, ...pivot } = isRow(link) ? link : { id: link };
  return Object.keys(pivot).length === 0 ? { id } : { id, pivot };
}

/** Returns the relations to include so that the record shows every field that a write accepts. */
export function relationsToInclude({ body }: Pick<Operation, 'body'>): string[] {
  return body.flatMap(({ responseName, field }) => includePaths(responseName, field));
}

/** The values of a record in the form of requests. */
export interface RecordBody {
  /**
   * Every field that the operation accepts and the record shows, in the form of requests. Never contains a secret.
   */
  body: Row;
  /** Fields that the record doesn't show; always includes secrets. */
  unknown: string[];
}

/** A record with all values that an update of it may send, and its unknown fields. */
export type CurrentRecord = { id: string; record: Row } & RecordBody;

/** Returns the body that would leave the record unchanged. */
export function bodyFrom({ body }: Pick<Operation, 'body'>, record: Row): RecordBody {
  const sent: Row = {};
  const unknown: string[] = [];
  for (const entry of body) {
    const { name, field } = entry;
    if (field.traits.ignored) continue;
    const value = field.isHidden ? undefined : responseValue(entry, record);
    if (value === undefined && !isEmptyRelation(field)) unknown.push(name);
    // Empty fields that can't be cleared are omitted.
    else if (value !== undefined && (value !== null || field.traits.nullable))
      sent[name] = toRequestValue(field, value);
  }
  return { body: sent, unknown };
}

/** Returns whether a missing value means that the relation is empty: it was included and can't be null. */
function isEmptyRelation({ kind, traits }: Field): boolean {
  return kind === 'one' && traits.includable === true && !traits.nullable;
}

function responseValue({ name, responseName, field }: BodyField, record: Row): unknown {
  if (Object.hasOwn(record, responseName)) return record[responseName];
  // Some services show only the ID of a related record.
  return field.kind === 'one' && Object.hasOwn(record, name) ? record[name] : undefined;
}

const unchanged = (value: unknown): unknown => value;
/** Converts a text to a number. Keeps a text that would lose digits, so that validation reports it. */
const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && decimalForm.test(value) && inexactness(value) === undefined
    ? Number(value)
    : value;

/**
 * Conversions by kind. Answers may have numbers as text or 1 for true; requests have one form.
 */
const toRequest: Readonly<Record<Kind, (value: unknown, field: Field) => unknown>> = {
  text: unchanged,
  integer: asNumber,
  decimal: asNumber,
  boolean: (value) => value === true || value === 1 || value === '1' || value === 'true',
  date: unchanged,
  timestamp: unchanged,
  choice: asNumber,
  numeric_text: (value) => String(value),
  unit: unchanged,
  hour: unchanged,
  words: unchanged,
  integers: unchanged,
  ids: unchanged,
  ring: unchanged,
  one: (value) => (isRow(value) ? value.id : value),
  many: (value, field) => (Array.isArray(value) ? value.map((link) => toRequestLink(field, link)) : value),
  object: unchanged,
  objects: (value, { traits: { fields = {} } }) =>
    Array.isArray(value) ? value.filter(isRow).map((item) => toRequestPart(fields, item)) : value,
};

function toRequestValue(field: Field, value: unknown): unknown {
  return value === null || value === undefined ? value : toRequest[field.kind](value, field);
}

/** Converts `{id, pivot: {quantity, variance}}` to `{id, quantity}`: the part of the pivot that a request accepts. */
function toRequestLink(field: Field, link: unknown): unknown {
  if (!isRow(link)) return { id: link };
  const pivot = pivotOf(link);
  const pivotValues = linkFields(field).flatMap(({ name, field: inner }) =>
    pivot[name] === undefined || (pivot[name] === null && !inner.traits.nullable)
      ? []
      : [[name, toRequestValue(inner, pivot[name])] as const],
  );
  return { id: link.id, ...Object.fromEntries(pivotValues) };
}

/** Converts a nested object to the fields that can be sent, with its id. */
function toRequestPart(fields: Fields, part: Row): Row {
  const entries = Object.entries(fields).flatMap(([name, field]) => {
    if (name === 'id') return part.id === undefined ? [] : [['id', part.id] as const];
    const sentName = field.kind === 'one' ? `${name}_id` : name;
    const value = part[name] ?? part[sentName];
    if (field.traits.writable === undefined || value === undefined) return [];
    return value === null && !field.traits.nullable
      ? []
      : [[sentName, toRequestValue(field, value)] as const];
  });
  return Object.fromEntries(entries);
}
