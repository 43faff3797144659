/** What is looked for on account of a declared record: by the names in it, and by its keys. */
import type { Resource } from '../../contract/resource.ts';
import { type Declared, plain } from '../declared/declared.ts';
import { type Ref, refsIn } from '../declared/ref.ts';
import type { Want } from './wants.ts';

/** By further natural keys, for a record that has none of the first yet. */
export function othersOf({ resource, key, given }: Declared): Want[] {
  const [first, ...more] = key;
  if (!first || more.length > 0) return [];
  const place = resource.key.indexOf(first.name);
  return (place < 0 ? [] : resource.key.slice(place + 1)).flatMap((name) => {
    const value = given.get(name)?.value;
    const isGiven = typeof value === 'string' && value !== '';
    return isGiven ? [{ values: { [name]: plain(value) }, unless: first.name, found: [] }] : [];
  });
}

export function refsOf({ given, key, oldKey = [] }: Declared): Ref[] {
  const found: Ref[] = [];
  for (const { value } of given.values()) refsIn(value, found);
  for (const { value } of key) refsIn(value, found);
  for (const { value } of oldKey) refsIn(value, found);
  return found;
}

export function uniqueRefs(records: readonly Declared[]): Map<string, Ref[]> {
  const unique = new Map<string, Ref>();
  for (const record of records)
    for (const ref of refsOf(record)) if (!unique.has(ref.mark)) unique.set(ref.mark, ref);
  return Map.groupBy(unique.values(), ({ target }) => target);
}

/** One want for each way in which a name may be meant, the likeliest first. */
export function wantsOf({ by }: Ref, resource: Resource): { field: string; want: Want }[] {
  if (by.kind === 'fields') {
    const values = Object.fromEntries(Object.entries(by.fields).map(([name, value]) => [name, plain(value)]));
    return [{ field: Object.keys(values)[0] ?? '', want: { values, found: [] } }];
  }
  const text = by.kind === 'text' ? plain(by.text) : '';
  return resource.key
    .filter((name) => couldBe(resource, name, text))
    .map((field) => ({ field, want: { values: { [field]: text }, found: [] } }));
}

/** Spares requests that can't match. */
function couldBe({ fields }: Resource, name: string, text: string): boolean {
  const form = fields[name]?.traits.form;
  if (form === 'email') return text.includes('@');
  return form !== 'phone' || /^[\d\s()+-]+$/.test(text);
}
