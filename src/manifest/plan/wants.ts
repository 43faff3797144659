/** What a plan looks for in lists: records by values of theirs, in as few requests as possible, and how much is kept of each row. */
import type { Resource } from '../../contract/resource.ts';
import { findRecords } from '../../session/find-records.ts';
import { isDeleted } from '../../session/list.ts';
import { canHold, KeyIndex, keyFieldsNamed, keyText } from '../../session/record-key.ts';
import { isRow, type Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { type Declared, formOf, givenValue, type KeyPart } from '../declared/declared.ts';
import { Ref, refsIn } from '../declared/ref.ts';

/** The record that a name stands for: one that is there, or one that is declared and will be. */
export type Target = { id: string; record?: undefined } | { record: Declared; id?: undefined };

/** A record that has all of these values, however they are written. */
export interface Want {
  /** Of fields, as answers call them; of none without a value. */
  names: readonly string[];
  /** Theirs, as they are written; of a relation to one record, its id. */
  values: readonly string[];
  /** Only rows that show nothing in this field are meant. */
  unless?: string;
  /** Which one this is the key of. */
  record?: Declared | undefined;
  found: readonly Row[];
}

export interface WantedRows {
  resource: Resource;
  wants: readonly Want[];
  /** Relations that the rows have to show where the token may see them. */
  optional: readonly string[];
  deletedOnly?: boolean;
  /** Told of every row of the list: it is read whole then. */
  onEach?: ((row: Row) => void) | undefined;
  /** Told of every row that is read anyway, and whether anything was looked for that it has. */
  onRead?: ((row: Row, isWanted: boolean) => void) | undefined;
  /** As much of a row as is kept of what was found; on account of which declared record, where it was by its key. */
  kept(row: Row, record?: Declared): Row;
}

/** Of what nothing was found for yet. */
export const none: readonly Row[] = [];

/** Fills in what was found for each want; rows that nobody wants are not kept. Returns whether the whole list was read. */
export async function readWanted(session: Session, wanted: WantedRows): Promise<boolean> {
  const { resource, wants, optional, deletedOnly = false, onEach, onRead, kept } = wanted;
  if (wants.length === 0 && !onEach) return false;
  const index = indexOf(resource, wants);
  let isWhole = false;
  const isListWanted = onEach !== undefined;
  const onWhole = () => {
    isWhole = true;
  };
  const asked = {
    resource,
    asks: index.asks(resource),
    optional,
    deletedOnly,
    isWhole: isListWanted,
    onWhole,
  };
  for await (const rows of findRecords(session, asked))
    for (const row of rows) {
      if (isDeleted(row) !== deletedOnly) continue;
      onEach?.(row);
      const isWanted = take(index, row, kept);
      onRead?.(row, isWanted);
    }
  return isWhole;
}

/** The same among rows that were read before. */
export function meetWants(resource: Resource, wants: readonly Want[], rows: readonly Row[]): void {
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

/** Returns whether anything was looked for that the row has. */
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

/** Returns the same as it is written. */
export function valueIn(row: Row, name: string, { fields }: Resource): string | null {
  return keyText(row, { shown: name, field: fields[name] }) ?? null;
}

type TargetOf = (ref: Ref) => Target | undefined;

export function keyWant(record: Declared, target: TargetOf): Want | undefined {
  return wantOf(record.key, target, record);
}

/** Undefined where it is known by a record that isn't there yet. */
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

/** By further natural keys, for a record that has none of the first yet. */
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

export function refsOf({ given, key, oldKey = [] }: Declared): Ref[] {
  const found: Ref[] = [];
  for (const { value } of given.values()) refsIn(value, found);
  for (const { value } of key) refsIn(value, found);
  for (const { value } of oldKey) refsIn(value, found);
  return found;
}

/** What the declared records of one resource name: records, and fields of their own. */
export interface Naming {
  /** Each once. */
  refs: readonly Ref[];
  /** Of the records that they are known by, the resources. */
  keyTargets: ReadonlySet<string>;
  fields: ReadonlySet<string>;
}

/** In one pass: there may be very many. */
export function namingOf(records: readonly Declared[]): Naming {
  const refs = new Map<string, Ref>();
  const keyTargets = new Set<string>();
  const fields = new Set<string>();
  const note = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const ref of refsIn(value)) if (!refs.has(ref.mark)) refs.set(ref.mark, ref);
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

/** One want for each way in which a name may be meant, the likeliest first. */
export function wantsOf({ by }: Ref, resource: Resource): { field: string; want: Want }[] {
  if (by.kind === 'fields') {
    const names = Object.keys(by.fields);
    return [{ field: names[0] ?? '', want: wantFor(names, Object.values(by.fields)) }];
  }
  const text = by.kind === 'text' ? by.text : '';
  const ids = by.kind === 'text' && by.orId && !/\s/.test(text) ? ['id'] : [];
  return [...resource.key.filter((name) => canHold(resource.fields[name], text)), ...ids].map((field) => ({
    field,
    want: wantFor([field], [text]),
  }));
}

/** As much of a row as is compared with what is declared, if anything is, and as says which record it is. */
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
 * Whether a row may be a declared record that has a natural key which the row doesn't have yet: by a further key. See
 * `othersOf`.
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
