/**
 * The lookups of a plan: records by their values, in as few requests as possible, and the fields that are kept of
 * each row.
 */
import type { Resource } from '../../contract/resource.ts';
import { findRecords } from '../../session/find-records.ts';
import { isDeleted } from '../../session/list.ts';
import { canContain, KeyIndex, keyFieldsNamed, keyText } from '../../session/record-key.ts';
import { isRow, type Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { type Declared, formOf, givenValue, type KeyPart } from '../declared/declared.ts';
import { Ref, refsIn } from '../declared/ref.ts';

/** The record of a reference: one that exists, or a declared one that will exist. */
export type Target = { id: string; record?: undefined } | { record: Declared; id?: undefined };

/** A lookup of a record that has all these values, independent of spelling. */
export interface Want {
  /** The names of the fields in answers; only fields with a value. */
  names: readonly string[];
  /** The values as written; the id for a relation to one record. */
  values: readonly string[];
  /** Restricts the rows to those that show nothing in this field. */
  unless?: string;
  /** The declared record whose key this is. */
  record?: Declared | undefined;
  found: readonly Row[];
}

/** What a lookup reads and keeps. */
export interface WantedRows {
  resource: Resource;
  wants: readonly Want[];
  /** Relations that the rows have to show, if the token may read them. */
  optional: readonly string[];
  deletedOnly?: boolean;
  /** Called for every row of the list, which is then read completely. */
  onEach?: ((row: Row) => void) | undefined;
  /** Called for every row that is read, with whether it matches a lookup. */
  onRead?: ((row: Row, isWanted: boolean) => void) | undefined;
  /** Returns the fields of a matching row to keep; `record` is the declared record whose key matches. */
  kept(row: Row, record?: Declared): Row;
}

/**
 * Reads the rows and adds them to the lookups that they match; other rows are not kept. Returns whether the whole
 * list was read.
 */
export async function readWanted(session: Session, wanted: WantedRows): Promise<boolean> {
  const { resource, wants, optional, deletedOnly = false, onEach, onRead, kept } = wanted;
  if (wants.length === 0 && !onEach) return false;
  const index = indexOf(resource, wants);
  let isWhole = false;
  const isListWanted = onEach !== undefined;
  const onWhole = () => {
    isWhole = true;
  };
  const request = {
    resource,
    asks: index.asks(resource),
    optional,
    deletedOnly,
    isWhole: isListWanted,
    onWhole,
  };
  for await (const rows of findRecords(session, request))
    for (const row of rows) {
      if (isDeleted(row) !== deletedOnly) continue;
      onEach?.(row);
      const isWanted = take(index, row, kept);
      onRead?.(row, isWanted);
    }
  return isWhole;
}

/** Adds rows that were read before to the lookups that they match. */
export function matchWants(resource: Resource, wants: readonly Want[], rows: readonly Row[]): void {
  const index = indexOf(resource, wants);
  for (const row of rows) take(index, row, (same) => same);
}

function indexOf(resource: Resource, wants: readonly Want[]): KeyIndex<Want> {
  const index = new KeyIndex<Want>();
  for (const want of wants) {
    const { names, values, unless, record } = want;
    const [other] = unless === undefined ? [] : keyFieldsNamed(resource, [unless]);
    const given = record && ((name: string) => givenValue(record, name));
    index.add({ key: keyFieldsNamed(resource, names), values, unless: other, given }, want);
  }
  return index;
}

/** Returns whether the row matches a lookup. */
function take(index: KeyIndex<Want>, row: Row, kept: WantedRows['kept']): boolean {
  const wants = index.itemsOf(row);
  for (const want of wants)
    if (!want.found.some(({ id }) => id === row.id)) want.found = [...want.found, kept(row, want.record)];
  return wants.length > 0;
}

/** Returns the form of a key that a row shows in a field; null where the row shows nothing there. */
export function formIn(row: Row, name: string, resource: Resource): string | null {
  const value = valueIn(row, name, resource);
  return value === null ? null : formOf(resource, name, value);
}

/** Returns the value as it is written. */
export function valueIn(row: Row, name: string, { fields }: Resource): string | null {
  return keyText(row, { shown: name, field: fields[name] }) ?? null;
}

type TargetOf = (ref: Ref) => Target | undefined;

/** Returns the lookup by the key of a record; undefined if the key refers to a record that doesn't exist yet. */
export function keyWant(record: Declared, target: TargetOf): Want | undefined {
  return wantOf(record.key, target, record);
}

/** Returns the lookup by a key; undefined if the key refers to a record that doesn't exist yet. */
export function wantOf(key: readonly KeyPart[], targetOf: TargetOf, record?: Declared): Want | undefined {
  const values: unknown[] = [];
  for (const { value } of key) {
    const target = value instanceof Ref ? targetOf(value) : undefined;
    if (value instanceof Ref && target?.id === undefined) return undefined;
    values.push(target?.id ?? value);
  }
  return wantFor(
    key.map(({ name }) => name),
    values,
    record,
  );
}

function wantFor(names: readonly string[], given: readonly unknown[], record?: Declared): Want {
  return { names, values: given.map(String), record, found: [] };
}

/** Returns the lookups by further natural keys, for a record that lacks the first one. */
export function othersOf(record: Declared): Want[] {
  const { resource, key } = record;
  const [first, ...more] = key;
  if (!first || more.length > 0) return [];
  const place = resource.key.indexOf(first.name);
  return (place < 0 ? [] : resource.key.slice(place + 1)).flatMap((name) => {
    const value = givenValue(record, name);
    const isGiven = typeof value === 'string' && value !== '';
    return isGiven ? [{ ...wantFor([name], [value]), unless: first.name }] : [];
  });
}

/** Returns all references in the values and keys of a record. */
export function refsOf({ given, key, oldKey = [] }: Declared): Ref[] {
  const found: Ref[] = [];
  for (const { value } of given.values()) refsIn(value, found);
  for (const { value } of key) refsIn(value, found);
  for (const { value } of oldKey) refsIn(value, found);
  return found;
}

/** The references of the declared records of one resource. */
export interface Naming {
  /** The references, without duplicates. */
  refs: readonly Ref[];
  /** The resources that the keys refer to. */
  keyTargets: ReadonlySet<string>;
  fields: ReadonlySet<string>;
}

/** Collects the references in one iteration, because there may be many records. */
export function namingOf(records: readonly Declared[]): Naming {
  const refs = new Map<string, Ref>();
  const keyTargets = new Set<string>();
  const fields = new Set<string>();
  const note = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const ref of refsIn(value)) if (!refs.has(ref.key)) refs.set(ref.key, ref);
  };
  for (const { given, key, oldKey = [] } of records) {
    for (const [name, { value }] of given) {
      fields.add(name);
      note(value);
    }
    for (const { name, value } of key) {
      fields.add(name);
      note(value);
      if (value instanceof Ref) keyTargets.add(value.target);
    }
    for (const { name, value } of oldKey) {
      fields.add(name);
      note(value);
    }
  }
  return { refs: [...refs.values()], keyTargets, fields };
}

/** Returns one lookup for each possible meaning of a reference, the most likely first. */
export function wantsOf({ by }: Ref, resource: Resource): { field: string; want: Want }[] {
  if (by.kind === 'fields') {
    const names = Object.keys(by.fields);
    return [{ field: names[0] ?? '', want: wantFor(names, Object.values(by.fields)) }];
  }
  const text = by.kind === 'text' ? by.text : '';
  const ids = by.kind === 'text' && by.orId && !/\s/.test(text) ? ['id'] : [];
  return [...resource.key.filter((name) => canContain(resource.fields[name], text)), ...ids].map((field) => ({
    field,
    want: wantFor([field], [text]),
  }));
}

/** Returns the fields of a row that identify it and that are compared. */
export function keeping(
  { key, title, fields: known }: Resource,
  fields: ReadonlySet<string>,
  refs: readonly Ref[],
): (row: Row) => Row {
  const isCompared = fields.size > 0;
  const names = new Set([
    'id',
    ...(title === undefined ? [] : [title]),
    ...(isCompared ? [...key, 'deleted_at'] : []),
  ]);
  const add = (name: string) => names.add(name).add(`${name}_id`);
  for (const name of fields) if (!names.has(name)) add(name);
  if (isCompared) for (const name in known) if (known[name]?.traits.builtIn !== undefined) names.add(name);
  for (const { by, only } of refs) {
    if (only) names.add(only.field);
    if (by.kind === 'fields') for (const name of Object.keys(by.fields)) add(name);
  }
  const all = [...names];
  return (row: Row) => {
    const kept: Row = {};
    for (const name of all) {
      const value = row[name];
      if (value !== undefined) kept[name] = value;
    }
    return kept;
  };
}

/**
 * Returns a function for whether a row may match a declared record by a further natural key, because it lacks the
 * first one. See `othersOf`.
 */
export function openRows(resource: Resource, declared: readonly Declared[]): (row: Row) => boolean {
  const known = new Map<string, ReadonlySet<string>>();
  const declaredValues = (name: string) => {
    const values = known.get(name) ?? valuesOf(name, declared);
    known.set(name, values);
    return values;
  };
  return (row) => {
    let lacks = false;
    for (const name of resource.key) {
      if (!lacks && typeof row[name] === 'string' && row[name] !== '') continue;
      const value = formIn(row, name, resource);
      if (value === null) lacks = true;
      else if (lacks && declaredValues(name).has(value)) return true;
    }
    return false;
  };
}

function valuesOf(name: string, declared: readonly Declared[]): ReadonlySet<string> {
  const values = new Set<string>();
  for (const record of declared) {
    const value = givenValue(record, name);
    if (value !== undefined && value !== null && !isRow(value))
      values.add(formOf(record.resource, name, value));
  }
  return values;
}
