/** Which rows of a list matter to what is declared, and how much of them: what is not declared must not fill the memory. */
import type { Resource } from '../../contract/resource.ts';
import { isRow, type Row } from '../../session/row.ts';
import { type Declared, formOf, givenValue } from '../declared/declared.ts';
import type { Ref } from '../declared/ref.ts';
import { formIn } from './wants.ts';

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
  if (isCompared) for (const name in known) if (known[name]?.traits.own !== undefined) names.add(name);
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
