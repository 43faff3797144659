/**
 * The lookups of a plan: finds records by their values, in as few requests as possible, and selects the stored fields of
 * each row.
 */

import { findRecords } from '../../../account/session/find-records.ts';
import { isDeleted } from '../../../account/session/list.ts';
import {
  canContain,
  type KeyField,
  KeyIndex,
  keyFromNames,
  keyText,
  type RecordKey,
} from '../../../account/session/record-key.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { type Declared, declaredValue, type KeyPart, normalizeKeyValue } from '../declared/declared.ts';
import { Ref, refsIn } from '../declared/ref.ts';

/** The record of a reference: an existing record, or a declared record that will be created. */
export type Target = { id: string; record?: undefined } | { record: Declared; id?: undefined };

/** A lookup of a record that has all values of a key, independent of spelling. */
export interface RecordLookup {
  key: RecordKey;
  /** The values as in a record, as written, with the calling codes of phone numbers. */
  values: Row;
  /** Restricts the rows to rows in which this field is empty. */
  unless?: KeyField | undefined;
  matches: readonly Row[];
  /** The rows with another spelling of the values, and those with similar values. */
  folded: readonly Row[];
  similar: readonly Row[];
}

/** The lookups for one resource, with the fields to read and to store. */
export interface LookupRequest {
  resource: Resource;
  lookups: readonly RecordLookup[];
  /** Relations that are included in the rows, if the token may read them. */
  optional: readonly string[];
  deletedOnly?: boolean;
  /** Called for every row of the list, which is then read completely. */
  onEach?: ((row: Row) => void) | undefined;
  /** Called for every row that is read. */
  onRead?: ((row: Row) => void) | undefined;
  /** Returns the fields of a matching row to keep. */
  select(row: Row): Row;
}

/**
 * Reads the rows and adds them to the lookups that they match; other rows are discarded. Returns whether the whole
 * list was read.
 */
export async function readLookups(session: Session, request: LookupRequest): Promise<boolean> {
  const { resource, lookups, optional, deletedOnly = false, onEach, onRead, select } = request;
  if (lookups.length === 0 && !onEach) return false;
  const index = indexLookups(lookups);
  let isCompleteList = false;
  const readsWholeList = onEach !== undefined;
  const onWholeList = () => {
    isCompleteList = true;
  };
  const findRequest = {
    resource,
    searches: index.searches(resource, deletedOnly ? undefined : 'all'),
    optional,
    deletedOnly,
    readsWholeList,
    onWholeList,
  };
  for await (const rows of findRecords(session, findRequest))
    for (const row of rows) {
      if (isDeleted(row) !== deletedOnly) continue;
      onEach?.(row);
      addToLookups(index, row, select);
      onRead?.(row);
    }
  return isCompleteList;
}

export function indexLookups(lookups: readonly RecordLookup[]): KeyIndex<RecordLookup> {
  const index = new KeyIndex<RecordLookup>();
  for (const lookup of lookups) index.add(lookup.key, lookup.values, lookup, lookup.unless);
  return index;
}

/** Adds a row to the lookups that it matches, once. */
export function addToLookups(
  index: KeyIndex<RecordLookup>,
  row: Row,
  selectFields: LookupRequest['select'],
): void {
  const { same, folded, similar } = index.related(row);
  for (const [name, found] of [
    ['matches', same] as const,
    ['folded', folded] as const,
    ['similar', similar] as const,
  ])
    for (const lookup of found)
      if (!lookup[name].some(({ id }) => id === row.id)) lookup[name] = [...lookup[name], selectFields(row)];
}

/** Returns the normalized form of a field of a row; null if the field is empty. */
export function normalizedKeyIn(row: Row, name: string, resource: Resource): string | null {
  const value = keyTextIn(row, name, resource);
  return value === null ? null : normalizeKeyValue(resource, name, value);
}

/** Returns the text of a field of a row; null if the field is empty. */
export function keyTextIn(row: Row, name: string, { fields }: Resource): string | null {
  return keyText(row, { responseName: name, field: fields[name] }) ?? null;
}

type TargetOf = (ref: Ref) => Target | undefined;

/** Returns the lookup by a key of a record; undefined if the key refers to a record that doesn't exist yet. */
export function lookupOf(
  record: Declared,
  key: readonly KeyPart[],
  targetOf: TargetOf,
): RecordLookup | undefined {
  const values: unknown[] = [];
  for (const { value } of key) {
    const target = value instanceof Ref ? targetOf(value) : undefined;
    if (value instanceof Ref && target?.id === undefined) return undefined;
    values.push(target?.id ?? value);
  }
  return newLookup(
    record.resource,
    key.map(({ name }, index) => [name, values[index]]),
    record,
  );
}

type FieldEntries = readonly (readonly [name: string, value: unknown])[];

function newLookup(resource: Resource, entries: FieldEntries, record?: Declared): RecordLookup {
  const key = keyFromNames(
    resource,
    entries.map(([name]) => name),
  );
  const dialCodes = record ? key.flatMap(({ field }) => field?.traits.dialCode ?? []) : [];
  const otherEntries = dialCodes.map((name) => [name, record && declaredValue(record, name)]);
  const values = Object.fromEntries([...otherEntries, ...entries]);
  return { key, values, matches: [], folded: [], similar: [] };
}

/** Returns the lookups by the other natural keys, for rows that don't have the first one. */
export function otherKeyLookups(record: Declared): RecordLookup[] {
  const { resource, key } = record;
  const [first, ...otherParts] = key;
  if (!first || otherParts.length > 0) return [];
  const position = resource.key.indexOf(first.name);
  return (position < 0 ? [] : resource.key.slice(position + 1)).flatMap((name) => {
    const value = declaredValue(record, name);
    const hasValue = typeof value === 'string' && value !== '';
    const [unless] = keyFromNames(resource, [first.name]);
    return hasValue ? [{ ...newLookup(resource, [[name, value]]), unless }] : [];
  });
}

export function refsOf({ values, key, oldKey = [] }: Declared): Ref[] {
  const refs: Ref[] = [];
  for (const { value } of values.values()) refsIn(value, refs);
  for (const { value } of key) refsIn(value, refs);
  for (const { value } of oldKey) refsIn(value, refs);
  return refs;
}

/** The references of the declared records of one resource. */
export interface DeclaredReferences {
  /** The references, without duplicates. */
  refs: readonly Ref[];
  /** The resources that the keys refer to. */
  keyTargets: ReadonlySet<string>;
  fields: ReadonlySet<string>;
}

/** Collects the references, keys and fields in one iteration, because there may be many records. */
export function declaredReferences(records: readonly Declared[]): DeclaredReferences {
  const refs = new Map<string, Ref>();
  const keyTargets = new Set<string>();
  const fields = new Set<string>();
  const collectRefs = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const ref of refsIn(value)) if (!refs.has(ref.key)) refs.set(ref.key, ref);
  };
  for (const { values, key, oldKey = [] } of records) {
    for (const [name, { value }] of values) {
      fields.add(name);
      collectRefs(value);
    }
    for (const { name, value } of key) {
      fields.add(name);
      collectRefs(value);
      if (value instanceof Ref) keyTargets.add(value.target);
    }
    for (const { name, value } of oldKey) {
      fields.add(name);
      collectRefs(value);
    }
  }
  return { refs: [...refs.values()], keyTargets, fields };
}

/** Returns one lookup for each possible meaning of a reference, in order of likelihood. */
export function lookupsOf({ by }: Ref, resource: Resource): RecordLookup[] {
  if (by.kind === 'fields') return [newLookup(resource, Object.entries(by.fields))];
  const text = by.kind === 'text' ? by.text : '';
  const ids = by.kind === 'text' && by.orId && !/\s/.test(text) ? ['id'] : [];
  const keys = resource.key.filter((name) => canContain(resource.fields[name], text));
  return [...keys, ...ids].map((name) => newLookup(resource, [[name, text]]));
}

/** Returns a function that selects the fields of a row that identify it or are compared. */
export function createFieldSelector(
  { key, title, fields: resourceFields }: Resource,
  fields: ReadonlySet<string>,
  refs: readonly Ref[],
): (row: Row) => Row {
  const isCompared = fields.size > 0;
  const names = new Set([
    'id',
    ...(title === undefined ? [] : [title]),
    ...key,
    ...(isCompared ? ['deleted_at'] : []),
  ]);
  const add = (name: string) => names.add(name).add(`${name}_id`);
  for (const name of fields) if (!names.has(name)) add(name);
  if (isCompared)
    for (const name in resourceFields)
      if (resourceFields[name]?.traits.builtIn !== undefined) names.add(name);
  for (const { by, targetFilter } of refs) {
    if (targetFilter) names.add(targetFilter.field);
    if (by.kind === 'fields') for (const name of Object.keys(by.fields)) add(name);
  }
  const selectedNames = [...names];
  return (row: Row) => {
    const selected: Row = {};
    for (const name of selectedNames) {
      const value = row[name];
      if (value !== undefined) selected[name] = value;
    }
    return selected;
  };
}
