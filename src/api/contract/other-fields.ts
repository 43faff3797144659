/** Finds the fields of records that the API document doesn't list. boh keeps them wherever it reads and writes records. */
import { isObject } from '../../base/number-text.ts';
import { apiOf } from './api.ts';
import { boolean, decimal, type Field, type Fields, object } from './field.ts';
import { type BodyField, type Operation, plainBodyField } from './operation.ts';
import { isSecretName } from './redaction.ts';
import { bodyField, type Resource } from './resource.ts';

type Row = Readonly<Record<string, unknown>>;

/** Returns whether a name in a record belongs to no field of the API document. */
export function isOtherField(fields: Fields, name: string): boolean {
  return name !== 'id' && name !== 'pivot' && bodyField(fields, name) === undefined;
}

/** Returns the fields with a value that the API document doesn't list, without secrets. */
export function otherFieldsOf(resource: Resource, record: Row): Row {
  const api = apiOf(resource);
  const isOther = ([name, value]: [string, unknown]) =>
    isOtherField(resource.fields, name) && hasValue(value) && !isSecretName(api, name);
  return Object.fromEntries(Object.entries(record).filter(isOther));
}

/**
 * Returns the fields that the API document doesn't list and that a request can send back: not times and counts, which the
 * service sets, and not related records. `records` are states of one record; a field with a value in any is returned.
 */
export function otherBodyFields(resource: Resource, ...records: readonly Row[]): BodyField[] {
  const values = new Map(records.flatMap((record) => Object.entries(otherFieldsOf(resource, record))));
  return [...values].flatMap(([name, value]) =>
    canBeSentBack(name, value) ? [plainBodyField(name, fieldFor(value))] : [],
  );
}

/** Adds to the nested lists of a request the fields that the record has there and that the API document doesn't list. */
export function withOtherNestedFields({ resource, body: fields }: Operation, body: Row, record: Row): Row {
  const api = apiOf(resource);
  const lists = fields.flatMap(({ name, responseName, field: { kind, traits } }) => {
    const [items, recordItems, inner = {}] = [body[name], record[responseName], traits.fields];
    if (kind !== 'objects' || !Array.isArray(items) || !Array.isArray(recordItems)) return [];
    const rows = recordItems.filter(isObject);
    const othersOf = (row: Row = {}) =>
      Object.entries(row).filter(
        ([key, value]) =>
          isOtherField(inner, key) && hasValue(value) && canBeSentBack(key, value) && !isSecretName(api, key),
      );
    return [[name, items.map((item, index) => ({ ...Object.fromEntries(othersOf(rows[index])), ...item }))]];
  });
  return { ...body, ...Object.fromEntries(lists) };
}

/** Returns the names in a body that belong to no field of the API document. */
export function otherNamesIn({ resource, body: fields }: Operation, body: Row): string[] {
  return Object.keys(body).filter(
    (name) => isOtherField(resource.fields, name) && !fields.some((entry) => entry.name === name),
  );
}

const jsonField = object({}).nullable();

/** Returns a field for comparisons: an unchanged switch can be a default, other values can't. */
function fieldFor(value: unknown): Field {
  if (typeof value === 'boolean') return boolean().nullable();
  return typeof value === 'number' ? decimal().nullable() : jsonField;
}

function hasValue(value: unknown): boolean {
  return (
    value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
  );
}

function canBeSentBack(name: string, value: unknown): boolean {
  return !/_(at|count)$/.test(name) && !isRelated(value);
}

function isRelated(value: unknown): boolean {
  return [value].flat().some((item) => isObject(item) && item.id !== undefined);
}
