/** Converts a record to the body of an update that would leave it unchanged. */

import type { Field, Fields, Kind } from '../../api/contract/field.ts';
import { includePaths } from '../../api/contract/include.ts';
import { type BodyField, linkFields, type Operation } from '../../api/contract/operation.ts';
import { decimalPattern, describeInexactness } from '../../base/number-text.ts';
import { isRow, type Row } from '../client/shape.ts';

/** Returns the links in a field of a record; undefined if the record doesn't contain the field. */
export function linksIn(record: Row | null | undefined, field: string): Row[] | undefined {
  const links = record?.[field];
  return Array.isArray(links) ? links.filter(isRow) : undefined;
}

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

/** Converts a link from the format of requests to the format of responses, with its values in `pivot`. */
export function toResponseLink(link: unknown): Row {
  const { id, ...pivot } = isRow(link) ? link : { id: link };
  return Object.keys(pivot).length === 0 ? { id } : { id, pivot };
}

/** Returns the relations to include so that the record contains every field that a write accepts. */
export function relationsToInclude({ body }: Pick<Operation, 'body'>): string[] {
  return body.flatMap(({ responseName, field }) => includePaths(responseName, field));
}

/** The values of a record in the format of requests. */
export interface RecordBody {
  /**
   * Every field that the operation accepts and the record contains, in the format of requests. Never contains a secret.
   */
  body: Row;
  /** The names of the fields that the record doesn't contain; always includes secrets. */
  unknown: string[];
}

/** A record with all values that an update of it may send, and its unknown fields. */
export type CurrentRecord = { id: string; record: Row } & RecordBody;

/** Returns the body that would leave the record unchanged. */
export function bodyFrom({ body }: Pick<Operation, 'body'>, record: Row): RecordBody {
  const requestBody: Row = {};
  const unknownNames: string[] = [];
  for (const entry of body) {
    const { name, field } = entry;
    if (field.traits.ignored) continue;
    const value = field.isHidden ? undefined : responseValue(entry, record);
    if (value === undefined && !isEmptyRelation(field)) unknownNames.push(name);
    // Empty fields that can't be cleared are omitted.
    else if (value !== undefined && (value !== null || field.traits.nullable))
      requestBody[name] = toRequestValue(field, value);
  }
  return { body: requestBody, unknown: unknownNames };
}

/** Returns whether a missing value means that the relation is empty: it was included and can't be null. */
function isEmptyRelation({ kind, traits }: Field): boolean {
  return kind === 'one' && traits.includable === true && !traits.nullable;
}

function responseValue({ name, responseName, field }: BodyField, record: Row): unknown {
  if (Object.hasOwn(record, responseName)) return record[responseName];
  // Some services return only the ID of a related record.
  return field.kind === 'one' && Object.hasOwn(record, name) ? record[name] : undefined;
}

const keep = (value: unknown): unknown => value;
/** Converts text to a number. Keeps text that would lose digits, so that validation reports it. */
const toExactNumber = (value: unknown): unknown =>
  typeof value === 'string' && decimalPattern.test(value) && describeInexactness(value) === undefined
    ? Number(value)
    : value;

/**
 * Conversions by kind. Responses may have numbers as text or 1 for true; requests have one format.
 */
const requestConversions: Readonly<Record<Kind, (value: unknown, field: Field) => unknown>> = {
  text: keep,
  integer: toExactNumber,
  decimal: toExactNumber,
  boolean: (value) => value === true || value === 1 || value === '1' || value === 'true',
  date: keep,
  timestamp: keep,
  choice: toExactNumber,
  numeric_text: (value) => String(value),
  unit: keep,
  hour: keep,
  words: keep,
  integers: keep,
  ids: keep,
  ring: keep,
  one: (value) => (isRow(value) ? value.id : value),
  many: (value, field) => (Array.isArray(value) ? value.map((link) => toRequestLink(field, link)) : value),
  object: keep,
  objects: (value, { traits: { fields = {} } }) =>
    Array.isArray(value) ? value.filter(isRow).map((item) => toRequestPart(fields, item)) : value,
};

function toRequestValue(field: Field, value: unknown): unknown {
  return value === null || value === undefined ? value : requestConversions[field.kind](value, field);
}

/** Converts `{id, pivot: {quantity, variance}}` to `{id, quantity}`: the part of the pivot that a request accepts. */
function toRequestLink(field: Field, link: unknown): unknown {
  if (!isRow(link)) return { id: link };
  const pivot = pivotOf(link);
  const pivotValues = linkFields(field).flatMap(({ name, field: linkField }) =>
    pivot[name] === undefined || (pivot[name] === null && !linkField.traits.nullable)
      ? []
      : [[name, toRequestValue(linkField, pivot[name])] as const],
  );
  return { id: link.id, ...Object.fromEntries(pivotValues) };
}

/** Converts a nested object to the fields that can be sent, with its ID. */
function toRequestPart(fields: Fields, part: Row): Row {
  const entries = Object.entries(fields).flatMap(([name, field]) => {
    if (name === 'id') return part.id === undefined ? [] : [['id', part.id] as const];
    const requestName = field.kind === 'one' ? `${name}_id` : name;
    const value = part[name] ?? part[requestName];
    if (field.traits.writable === undefined || value === undefined) return [];
    return value === null && !field.traits.nullable
      ? []
      : [[requestName, toRequestValue(field, value)] as const];
  });
  return Object.fromEntries(entries);
}
