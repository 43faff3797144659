/** What is looked for on account of a declared record: by the names in it, and by its keys. */
import type { Resource } from '../../contract/resource.ts';
import { type Declared, formOf, givenValue, type KeyPart } from '../declared/declared.ts';
import { Ref, refsIn } from '../declared/ref.ts';
import type { Target } from './target.ts';
import { none, type Want } from './wants.ts';

type TargetOf = (ref: Ref) => Target | undefined;

export function keyWant(record: Declared, target: TargetOf): Want | undefined {
  return wantOf(record.resource, record.key, target, record);
}

/** Undefined where it is known by a record that isn't there yet. */
export function wantOf(
  resource: Resource,
  key: readonly KeyPart[],
  targetOf: TargetOf,
  record?: Declared,
): Want | undefined {
  const values: unknown[] = [];
  for (const { value } of key) {
    const target = value instanceof Ref ? targetOf(value) : undefined;
    if (value instanceof Ref && target?.id === undefined) return undefined;
    values.push(target?.id ?? value);
  }
  return wantFor(
    resource,
    key.map(({ name }) => name),
    values,
    record,
  );
}

function wantFor(
  resource: Resource,
  names: readonly string[],
  given: readonly unknown[],
  record?: Declared,
): Want {
  const texts = given.map(String);
  const values = texts.map((text, at) => formOf(resource, names[at] ?? '', text));
  const written = values.every((value, at) => value === texts[at]) ? undefined : texts;
  return { names, values, written, record, found: none };
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
    return isGiven ? [{ ...wantFor(resource, [name], [value]), unless: first.name }] : [];
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
    return [{ field: names[0] ?? '', want: wantFor(resource, names, Object.values(by.fields)) }];
  }
  const text = by.kind === 'text' ? by.text : '';
  const ids = by.kind === 'text' && by.orId && !/\s/.test(text) ? ['id'] : [];
  return [...resource.key.filter((name) => couldBe(resource, name, text)), ...ids].map((field) => ({
    field,
    want: wantFor(resource, [field], [text]),
  }));
}

/** Spares requests that can't match. */
function couldBe({ fields }: Resource, name: string, text: string): boolean {
  const form = fields[name]?.traits.form;
  if (form === 'email') return text.includes('@');
  return form !== 'phone' || /^[\d\s()+-]+$/.test(text);
}
