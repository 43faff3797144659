/** Values of two accounts in comparable form: related records are identified by name, never by id. */

import { apiOf } from '../../contract/api.ts';
import { isKeptByOther } from '../../contract/dependency-order.ts';
import type { Field, Fields } from '../../contract/field.ts';
import { type Resource, titleField } from '../../contract/resource.ts';
import { wordOf } from '../../contract/text.ts';
import { isSame } from '../../session/diff/values.ts';
import { isRow, type Row } from '../../session/row.ts';
import { entryName } from '../declared/fields.ts';
import type { AccountRecords } from './read-account.ts';

/** A related record by name, with the fields of the link. */
export interface ComparedLink {
  called: string;
  held: Row;
}

/**
 * Returns the compared fields by name: all that answers show except ids, secrets and timestamps that the service
 * sets. A link that both ends show is compared only at the end that stores it, if that resource is compared.
 */
export function comparedFields(
  resource: Resource,
  resources: readonly Resource[],
  ignored: readonly string[],
): [string, Field][] {
  const api = apiOf(resource);
  return Object.entries(resource.fields).filter(([name, field]) => {
    const isNoted = field.kind === 'timestamp' && field.traits.written === undefined;
    if (name === 'id' || isNoted || field.isHidden || ignored.includes(name)) return false;
    return !isKeptByOther(api, field) || !resources.some(({ name: other }) => other === field.traits.target);
  });
}

/** Returns the value that a record shows in a field, or null. */
export function shownIn(row: Row, name: string, { kind }: Field): unknown {
  const value = Object.hasOwn(row, name) ? row[name] : kind === 'one' ? row[`${name}_id`] : undefined;
  return value ?? null;
}

/** Returns the value in a form that means the same in another account. */
export function comparedValue(
  field: Field,
  value: unknown,
  account: Pick<AccountRecords, 'called'>,
  ignored: readonly string[],
): unknown {
  if (value === null || value === undefined || value === '') return null;
  const { target = '', pivot = {}, fields = {} } = field.traits;
  const inside = (own: Fields, row: Row) => comparedParts(own, row, account, ignored);
  switch (field.kind) {
    case 'boolean':
      return value === true || value === 1 || value === '1' || value === 'true';
    case 'choice':
      return wordOf(field, Number(value)) ?? value;
    case 'one':
      return account.called(target, value);
    case 'words':
    case 'integers':
      return listOf(value, (item) => wordOf(field, Number(item)) ?? String(item)).sort();
    case 'ids':
      return listOf(value, (item) => account.called('', item));
    case 'many':
      return listOf(value, (link): ComparedLink => {
        const held = isRow(link) && isRow(link.pivot) ? link.pivot : isRow(link) ? link : {};
        return { called: account.called(target, link), held: inside(withoutIds(pivot), held) };
      });
    case 'objects':
      return listOf(value, (part) => (isRow(part) ? inside(fields, part) : part));
    case 'object':
      return isRow(value) ? inside(fields, value) : value;
    default:
      return value;
  }
}

function comparedParts(
  fields: Fields,
  row: Row,
  account: Pick<AccountRecords, 'called'>,
  ignored: readonly string[],
): Row {
  const entries = Object.entries(fields).filter(([name]) => name !== 'id' && !ignored.includes(name));
  return Object.fromEntries(
    entries.map(([name, field]) => [name, comparedValue(field, shownIn(row, name, field), account, ignored)]),
  );
}

function withoutIds(pivot: Fields): Fields {
  return Object.fromEntries(Object.entries(pivot).filter(([, { traits }]) => !traits.repeatsId));
}

function listOf<Item>(value: unknown, read: (item: unknown) => Item): Item[] {
  return Array.isArray(value) ? value.map(read) : [];
}

/** Returns whether two compared values are the same; the order of links and parts is ignored. */
export function isSameCompared(field: Field, one: unknown, other: unknown): boolean {
  const { pivot = {}, fields = {} } = field.traits;
  const isSameIn = (own: Fields, a: Row, b: Row) =>
    Object.entries(own).every(([name, inner]) => isSameCompared(inner, a[name] ?? null, b[name] ?? null));
  switch (field.kind) {
    case 'boolean':
    case 'choice':
    case 'one':
      return one === other;
    case 'many':
      return isSameList(
        one,
        other,
        linkMark,
        (a, b) => a.called === b.called && isSameIn(pivot, a.held, b.held),
      );
    case 'objects': {
      const title = titleField(fields) ?? 'name';
      const mark = (part: Row) => `${JSON.stringify(part[title])} ${JSON.stringify(part)}`;
      return isSameList(one, other, mark, (a, b) => isSameIn(fields, a, b));
    }
    case 'words':
    case 'integers':
    case 'ids':
      return JSON.stringify(one ?? []) === JSON.stringify(other ?? []);
    default:
      return isSame(field, one, other);
  }
}

/** Returns a text that is equal for equal links. */
export function linkMark(link: ComparedLink): string {
  return `${link.called} ${JSON.stringify(link.held)}`;
}

/** Compares two lists item by item, after both are sorted by the text of each item. */
function isSameList<Item>(
  one: unknown,
  other: unknown,
  mark: (item: Item) => string,
  isSameItem: (a: Item, b: Item) => boolean,
): boolean {
  const [ours, theirs] = [one, other].map((list) =>
    sorted(Array.isArray(list) ? (list as Item[]) : [], mark),
  );
  if (ours?.length !== theirs?.length) return false;
  return (ours ?? []).every((item, at) => isSameItem(item, (theirs ?? [])[at] as Item));
}

function sorted<Item>(items: readonly Item[], mark: (item: Item) => string): Item[] {
  const marked = items.map((item) => ({ item, by: mark(item) }));
  return marked.sort((a, b) => (a.by < b.by ? -1 : a.by > b.by ? 1 : 0)).map(({ item }) => item);
}

/** Returns the value as a plan shows it: a link without fields is shown as its name. */
export function shownCompared(resource: Resource, name: string, field: Field, value: unknown): unknown {
  if (field.kind !== 'many' || !Array.isArray(value)) return value;
  const entry = entryName(resource, name, field);
  return (value as ComparedLink[]).map(({ called, held }) => {
    const said = Object.entries(held).filter(([, inner]) => inner !== null);
    return said.length === 0 ? called : { [entry]: called, ...Object.fromEntries(said) };
  });
}
