/**
 * The lookups of a plan: finds records by their values, in as few requests as possible, and selects the stored fields of
 * each row.
 */
import type { Resource } from '../../contract/resource.ts';
import { findRecords } from '../../session/find-records.ts';
import { isDeleted } from '../../session/list.ts';
import { canContain, KeyIndex, keyFromNames, keyText } from '../../session/record-key.ts';
import { isRow, type Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { type Declared, declaredValue, type KeyPart, normalizeKeyValue } from '../declared/declared.ts';
import { Ref, refsIn } from '../declared/ref.ts';

/** The record of a reference: an existing record, or a declared record that will be created. */
export type Target = { id: string; record?: undefined } | { record: Declared; id?: undefined };

/** A lookup of a record that has all these values, independent of spelling. */
export interface RecordLookup {
  /** The names of the fields in responses; only fields with a value. */
  names: readonly string[];
  /** The values as written; the ID for a relation to one record. */
  values: readonly string[];
  /** Restricts the rows to rows in which this field is empty. */
  unless?: string;
  /** The declared record whose key this is. */
  record?: Declared | undefined;
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
  /** Returns the fields of a matching row to keep; `record` is the declared record whose key matches. */
  select(row: Row, record?: Declared): Row;
}

/**
 * Reads the rows and adds them to the lookups that they match; other rows are discarded. Returns whether the whole
 * list was read.
 */
export async function readLookups(session: Session, request: LookupRequest): Promise<boolean> {
  const { resource, lookups, optional, deletedOnly = false, onEach, onRead, select } = request;
  if (lookups.length === 0 && !onEach) return false;
  const index = indexLookups(resource, lookups);
  let isCompleteList = false;
  const readsWholeList = onEach !== undefined;
  const onWholeList = () => {
    isCompleteList = true;
  };
  const findRequest = {
    resource,
    searches: index
      .searches(resource)
      .map((search) => ({ ...search, spellings: deletedOnly ? undefined : ('all' as const) })),
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

/** Adds rows that were read before to the lookups that they match. */
export function matchLookups(
  resource: Resource,
  lookups: readonly RecordLookup[],
  rows: readonly Row[],
): void {
  const index = indexLookups(resource, lookups);
  for (const row of rows) addToLookups(index, row, (unchangedRow) => unchangedRow);
}

function indexLookups(resource: Resource, lookups: readonly RecordLookup[]): KeyIndex<RecordLookup> {
  const index = new KeyIndex<RecordLookup>();
  for (const lookup of lookups) {
    const { names, values, unless, record } = lookup;
    const [unlessField] = unless === undefined ? [] : keyFromNames(resource, [unless]);
    const declaredFieldValue = record && ((name: string) => declaredValue(record, name));
    index.add(
      { key: keyFromNames(resource, names), values, unless: unlessField, fieldValue: declaredFieldValue },
      lookup,
    );
  }
  return index;
}

function addToLookups(index: KeyIndex<RecordLookup>, row: Row, selectFields: LookupRequest['select']): void {
  for (const { item: lookup, relation } of index.relatedItems(row)) {
    const name = relation === 'same' ? 'matches' : relation;
    if (!lookup[name].some(({ id }) => id === row.id))
      lookup[name] = [...lookup[name], selectFields(row, lookup.record)];
  }
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

/** Returns the lookup by the key of a record; undefined if the key refers to a record that doesn't exist yet. */
export function keyLookup(record: Declared, target: TargetOf): RecordLookup | undefined {
  return lookupOf(record.key, target, record);
}

/** Returns the lookup by a key; undefined if the key refers to a record that doesn't exist yet. */
export function lookupOf(
  key: readonly KeyPart[],
  targetOf: TargetOf,
  record?: Declared,
): RecordLookup | undefined {
  const values: unknown[] = [];
  for (const { value } of key) {
    const target = value instanceof Ref ? targetOf(value) : undefined;
    if (value instanceof Ref && target?.id === undefined) return undefined;
    values.push(target?.id ?? value);
  }
  return newLookup(
    key.map(({ name }) => name),
    values,
    record,
  );
}

function newLookup(names: readonly string[], values: readonly unknown[], record?: Declared): RecordLookup {
  return { names, values: values.map(String), record, matches: [], folded: [], similar: [] };
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
    return hasValue ? [{ ...newLookup([name], [value]), unless: first.name }] : [];
  });
}

/** Returns all references in the values and keys of a record. */
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
export function lookupsOf({ by }: Ref, resource: Resource): { field: string; lookup: RecordLookup }[] {
  if (by.kind === 'fields') {
    const names = Object.keys(by.fields);
    return [{ field: names[0] ?? '', lookup: newLookup(names, Object.values(by.fields)) }];
  }
  const text = by.kind === 'text' ? by.text : '';
  const ids = by.kind === 'text' && by.orId && !/\s/.test(text) ? ['id'] : [];
  return [...resource.key.filter((name) => canContain(resource.fields[name], text)), ...ids].map((field) => ({
    field,
    lookup: newLookup([field], [text]),
  }));
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

/**
 * Returns a filter for rows that may match a declared record by another natural key, because they don't have the
 * first one. See `otherKeyLookups`.
 */
export function createOtherKeyFilter(
  resource: Resource,
  declared: readonly Declared[],
): (row: Row) => boolean {
  const valuesByName = new Map<string, ReadonlySet<string>>();
  const declaredValues = (name: string) => {
    const values = valuesByName.get(name) ?? valuesOf(name, declared);
    valuesByName.set(name, values);
    return values;
  };
  return (row) => {
    let hasMissingKey = false;
    for (const name of resource.key) {
      if (!hasMissingKey && typeof row[name] === 'string' && row[name] !== '') continue;
      const value = normalizedKeyIn(row, name, resource);
      if (value === null) hasMissingKey = true;
      else if (hasMissingKey && declaredValues(name).has(value)) return true;
    }
    return false;
  };
}

function valuesOf(name: string, declared: readonly Declared[]): ReadonlySet<string> {
  const values = new Set<string>();
  for (const record of declared) {
    const value = declaredValue(record, name);
    if (value !== undefined && value !== null && !isRow(value))
      values.add(normalizeKeyValue(record.resource, name, value));
  }
  return values;
}
