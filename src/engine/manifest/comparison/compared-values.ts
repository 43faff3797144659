/** Converts values of two accounts for comparison: related records are identified by name, never by ID. */

import { isRow, type Row } from '../../../account/session/row.ts';
import { apiOf } from '../../../api/contract/api.ts';
import { isStoredByTarget } from '../../../api/contract/dependency-order.ts';
import type { Field, Fields } from '../../../api/contract/field.ts';
import { type Resource, titleField } from '../../../api/contract/resource.ts';
import { wordOf } from '../../../api/contract/value-text.ts';
import { compareStrings } from '../../../base/compare-strings.ts';
import { entryName } from '../declared/fields.ts';
import type { AccountRecords } from './read-account.ts';

/** A link as in requests, with a name instead of the ID: `{id: 'Tomatoes', quantity: 2}`. */
export interface ComparedLink extends Row {
  id: string;
}

/**
 * Returns the compared fields by name: all fields in responses except IDs, secrets and timestamps that the service
 * sets. A link that responses contain at both ends is compared only at the end that stores it, if that resource is compared.
 */
export function comparedFields(
  resource: Resource,
  resources: readonly Resource[],
  ignored: readonly string[],
): [string, Field][] {
  const api = apiOf(resource);
  return Object.entries(resource.fields).filter(([name, field]) => {
    const isSetByService = field.kind === 'timestamp' && field.traits.writable === undefined;
    if (name === 'id' || isSetByService || field.isHidden || ignored.includes(name)) return false;
    return (
      !isStoredByTarget(api, field) ||
      !resources.some(({ name: resourceName }) => resourceName === field.traits.target)
    );
  });
}

/** Returns the value of a field in a record, or null. */
export function returnedValue(row: Row, name: string, { kind }: Field): unknown {
  const value = Object.hasOwn(row, name) ? row[name] : kind === 'one' ? row[`${name}_id`] : undefined;
  return value ?? null;
}

/** Returns the value with names instead of IDs, so that it can be compared with a value of another account. */
export function comparedValue(
  field: Field,
  value: unknown,
  account: Pick<AccountRecords, 'nameOf'>,
  ignored: readonly string[],
): unknown {
  if (value === null || value === undefined || value === '') return null;
  const { target = '', pivot = {}, fields = {} } = field.traits;
  const nestedValues = (nested: Fields, row: Row) => comparedParts(nested, row, account, ignored);
  switch (field.kind) {
    case 'boolean':
      return value === true || value === 1 || value === '1' || value === 'true';
    case 'choice':
      return wordOf(field, Number(value)) ?? value;
    case 'one':
      return account.nameOf(target, value);
    case 'words':
    case 'integers':
      return mapList(value, (item) => wordOf(field, Number(item)) ?? String(item)).sort();
    case 'ids':
      return mapList(value, (item) => account.nameOf('', item));
    case 'many':
      return numberDuplicateIds(
        mapList(value, (link): ComparedLink => {
          const linkData = isRow(link) && isRow(link.pivot) ? link.pivot : isRow(link) ? link : {};
          return { id: account.nameOf(target, link), ...nestedValues(withoutIds(pivot), linkData) };
        }),
      );
    case 'objects': {
      const title = titleField(fields) ?? 'name';
      const parts = mapList(value, (part) => (isRow(part) ? nestedValues(fields, part) : part));
      return sortBy(parts, (part) => [isRow(part) ? part[title] : null, part]);
    }
    case 'object':
      return isRow(value) ? nestedValues(fields, value) : value;
    default:
      return value;
  }
}

function comparedParts(
  fields: Fields,
  row: Row,
  account: Pick<AccountRecords, 'nameOf'>,
  ignored: readonly string[],
): Row {
  const entries = Object.entries(fields).filter(([name]) => name !== 'id' && !ignored.includes(name));
  return Object.fromEntries(
    entries.map(([name, field]) => [
      name,
      comparedValue(field, returnedValue(row, name, field), account, ignored),
    ]),
  );
}

function withoutIds(pivot: Fields): Fields {
  return Object.fromEntries(Object.entries(pivot).filter(([, { traits }]) => !traits.repeatsId));
}

function mapList<Item>(value: unknown, convert: (item: unknown) => Item): Item[] {
  return Array.isArray(value) ? value.map(convert) : [];
}

/** Numbers links to records with the same name, in the order of their data, so that each link has a unique ID. */
function numberDuplicateIds(links: readonly ComparedLink[]): ComparedLink[] {
  const counts = new Map<string, number>();
  const ids = new Map(
    sortBy(links, (link) => link).map((link) => {
      const count = (counts.get(link.id) ?? 0) + 1;
      counts.set(link.id, count);
      return [link, count === 1 ? link.id : `${link.id}${numberSeparator}${count}`];
    }),
  );
  return links.map((link) => ({ ...link, id: ids.get(link) ?? link.id }));
}

/** Separates a name and its number; no name contains it. */
const numberSeparator = '\0';

export function linkedRecordName({ id }: ComparedLink): string {
  return id.split(numberSeparator)[0] ?? id;
}

/** Sorts items by their key as JSON. */
function sortBy<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): Item[] {
  const keyedItems = items.map((item) => ({ item, key: JSON.stringify(keyOf(item)) }));
  return keyedItems.sort((a, b) => compareStrings(a.key, b.key)).map(({ item }) => item);
}

/** Returns the value as a plan displays it: a link without fields is displayed as its name. */
export function toDisplayValue(resource: Resource, name: string, field: Field, value: unknown): unknown {
  if (field.kind !== 'many' || !Array.isArray(value)) return value;
  const entry = entryName(resource, name, field);
  return (value as ComparedLink[]).map((link) => {
    const { id: _, ...linkData } = link;
    const nonEmptyEntries = Object.entries(linkData).filter(([, data]) => data !== null);
    return nonEmptyEntries.length === 0
      ? linkedRecordName(link)
      : { [entry]: linkedRecordName(link), ...Object.fromEntries(nonEmptyEntries) };
  });
}
