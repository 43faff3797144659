/**
 * Compares two accounts without files: all active records that both tokens may list, with all fields that responses
 * contain.
 */
import type { FieldChange } from '../../../account/session/diff/fields.ts';
import { isEmptyValue, isSameInBothDirections, isSameValue } from '../../../account/session/diff/values.ts';
import { isRow, type Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import { apiOf } from '../../../api/contract/api.ts';
import { isStoredByTarget } from '../../../api/contract/dependency-order.ts';
import type { Field, Fields } from '../../../api/contract/field.ts';
import { relateKeys } from '../../../api/contract/normalize-key.ts';
import { type Resource, titleField } from '../../../api/contract/resource.ts';
import { wordOf } from '../../../api/contract/value-text.ts';
import { compareStrings } from '../../../base/compare-strings.ts';
import { entryName, manifestFields } from '../declared/fields.ts';
import type { Difference, LinkChange } from '../plan/change.ts';
import { keyTextIn } from '../plan/lookups.ts';
import { Pauses } from '../source/mistakes.ts';
import {
  type AccountRecords,
  type ComparedRecord,
  pairRecords,
  readAccount,
  shareKeys,
  shareReferenceNames,
} from './read-account.ts';

export interface ComparedAccounts {
  from: Session;
  to: Session;
  /** The resources to compare; undefined for all that can be listed. */
  resources: readonly Resource[] | undefined;
  /** Names of fields to ignore, including fields of links. */
  ignored: readonly string[];
  signal?: AbortSignal | undefined;
}

export interface AccountComparison {
  /**
   * Changes by resource, with deletions last. `create`: only the first account has the record; `delete`: only the
   * second has it.
   */
  changes: Difference[];
  /** The number of records that are the same in both. */
  same: number;
  /**
   * One message for each part that could not be compared. If there are any, it is uncertain whether the accounts are the
   * same.
   */
  notCompared: string[];
}

/**
 * Compares two accounts. Records match by key, and related records by name, because IDs differ between accounts.
 */
export async function compareAccounts(accounts: ComparedAccounts): Promise<AccountComparison> {
  const { from, to, ignored, signal } = accounts;
  const orderedResources = from.api.dependencyOrder().map(({ resource }) => resource);
  const comparedResources = accounts.resources ?? orderedResources.filter(({ list }) => list !== undefined);
  const pauses = new Pauses(signal);
  const requiredResources = accounts.resources ?? [];
  const first = await readAccount(from, comparedResources, requiredResources);
  const second = await readAccount(to, comparedResources, requiredResources);
  shareReferenceNames(first, second);
  const result: AccountComparison = { changes: [], same: 0, notCompared: [] };
  const deletions: Difference[] = [];
  for (const resource of orderedResources.filter((candidate) => comparedResources.includes(candidate))) {
    const unlistedAccounts = [first, second].filter((account) => !account.rowsOf(resource));
    if (unlistedAccounts.length > 0) {
      result.notCompared.push(notListedMessage(resource, unlistedAccounts));
      continue;
    }
    await pauses.pauseIfDue();
    const comparison = compareResource(resource, { first, second, comparedResources, ignored });
    result.changes.push(...comparison.changes);
    deletions.push(...comparison.deletions);
    result.same += comparison.same;
    result.notCompared.push(...comparison.notCompared);
  }
  result.changes.push(...deletions);
  return result;
}

interface ComparisonInput {
  first: AccountRecords;
  second: AccountRecords;
  comparedResources: readonly Resource[];
  ignored: readonly string[];
}

function compareResource(
  resource: Resource,
  { first, second, comparedResources, ignored }: ComparisonInput,
): AccountComparison & { deletions: Difference[] } {
  const rows = [first, second].map((account) => account.rowsOf(resource) ?? []);
  const allFields = comparedFields(resource, comparedResources, ignored);
  // A field that no record contains can't be compared.
  const missingIn = allFields.map(([name, field]) =>
    [first, second].filter(
      (_, index) => rows[index]?.length && !rows[index].some((row) => isReturned(row, name, field.kind)),
    ),
  );
  const fields = allFields.filter((_, index) => missingIn[index]?.length === 0);
  const toComparedRecords = (account: AccountRecords): ComparedRecord[] =>
    (account.rowsOf(resource) ?? []).map((row) => {
      const values = new Map(
        fields.map(([name, field]) => [
          name,
          comparedValue(field, returnedValue(row, name, field), account, ignored),
        ]),
      );
      return { row, values, fingerprint: JSON.stringify([...values.values()]) };
    });
  const pairing = pairRecords(resource, toComparedRecords(first), toComparedRecords(second));
  shareKeys(resource, pairing.pairs, second);
  const changes = pairing.pairs.flatMap(([a, b]) => recordDifference(resource, fields, a, b) ?? []);
  return {
    changes: [...pairing.first.map((record) => onlyInFirst(resource, fields, record)), ...changes].sort(
      compareByKey,
    ),
    deletions: pairing.second.map((record) => onlyInSecond(resource, record)).sort(compareByKey),
    same: pairing.pairs.length - changes.length,
    notCompared: notReturnedMessages(
      resource,
      allFields.map(([name], index) => ({ name, missingIn: missingIn[index] ?? [] })),
    ),
  };
}

function isReturned(row: Row, name: string, kind: string): boolean {
  return Object.hasOwn(row, name) || (kind === 'one' && Object.hasOwn(row, `${name}_id`));
}

function compareByKey(a: Difference, b: Difference): number {
  return compareStrings(a.key, b.key);
}

function notListedMessage({ nouns, list }: Resource, unlistedAccounts: readonly AccountRecords[]): string {
  const scope = list ? ` (it needs the scope ${[list.scope].flat().join(' or ')})` : '';
  const profiles = unlistedAccounts.map(({ profile }) => profile).join(' and that of ');
  return `Not compared: ${nouns}. The token of ${profiles} may not list them${scope}.`;
}

function notReturnedMessages(
  { nouns }: Resource,
  fields: readonly { name: string; missingIn: readonly AccountRecords[] }[],
): string[] {
  const byAccounts = Map.groupBy(fields, ({ missingIn }) =>
    missingIn.map(({ profile }) => profile).join(' and '),
  );
  byAccounts.delete('');
  return [...byAccounts].map(([profiles, group]) => {
    const names = group.map(({ name }) => name).join(', ');
    return `Not compared: ${names} of ${nouns}. ${profiles} ${profiles.includes(' and ') ? "don't" : "doesn't"} return ${group.length > 1 ? 'them' : 'it'}.`;
  });
}

type NamedFields = readonly (readonly [string, Field])[];

function onlyInFirst(resource: Resource, fields: NamedFields, record: ComparedRecord): Difference {
  const nonEmptyFields = fields.filter(([name]) => !isEmptyValue(record.values.get(name)));
  return {
    ...differenceOf(resource, record, 'create'),
    fields: Object.fromEntries(
      nonEmptyFields.map(([name, field]) => [
        name,
        { old: null, new: toDisplayValue(resource, name, field, record.values.get(name)) },
      ]),
    ),
  };
}

function onlyInSecond(resource: Resource, record: ComparedRecord): Difference {
  return differenceOf(resource, record, 'delete');
}

/** Returns the changes from the second account to the first; undefined if the records are the same. */
function recordDifference(
  resource: Resource,
  fields: NamedFields,
  a: ComparedRecord,
  b: ComparedRecord,
): Difference | undefined {
  const changedFields: Record<string, FieldChange> = {};
  const links: LinkChange[] = [];
  for (const [name, field] of fields) {
    const [first, second] = [a.values.get(name), b.values.get(name)];
    if (isSameInBothDirections(field, second, first) || isSameKey(resource, name, field, first, second))
      continue;
    if (manifestFields(resource).get(name)?.link || (field.kind === 'many' && field.traits.pivot))
      links.push(...linkChanges(name, field, linksIn(second), linksIn(first)));
    else changedFields[name] = fieldChange(resource, name, field, second, first);
  }
  if (Object.keys(changedFields).length === 0 && links.length === 0) return undefined;
  return { ...differenceOf(resource, b, 'update'), fields: changedFields, links };
}

function differenceOf(resource: Resource, { row }: ComparedRecord, action: Difference['action']): Difference {
  const keyTexts = [...resource.key, resource.title ?? 'id', 'id'].map((name) =>
    keyTextIn(row, name, resource),
  );
  const keyText = keyTexts.find((text) => text !== null) ?? '';
  const title = row[resource.title ?? 'id'];
  const id = typeof row.id === 'string' ? row.id : undefined;
  const hasOwnTitle = typeof title === 'string' && title !== '' && title !== keyText;
  return {
    action,
    resource,
    key: keyText,
    title: hasOwnTitle ? title : undefined,
    id,
    fields: {},
    links: [],
  };
}

/** Returns whether two values are the same key or spellings of each other, which a copy wouldn't change. */
function isSameKey(resource: Resource, name: string, field: Field, a: unknown, b: unknown): boolean {
  if (!resource.key.includes(name) || typeof a !== 'string' || typeof b !== 'string') return false;
  return ['same', 'folded'].includes(relateKeys(field, a, b) ?? '');
}

/** Returns the change of a field. In a list the common items come first, in the order of the second account. */
function fieldChange(
  resource: Resource,
  name: string,
  field: Field,
  second: unknown,
  first: unknown,
): FieldChange {
  const toDisplay = (value: unknown) => toDisplayValue(resource, name, field, value) ?? null;
  if (field.kind !== 'many') return { old: toDisplay(second), new: toDisplay(first) };
  const [before, after] = [linksIn(second), linksIn(first)];
  const positions = new Map(before.map(({ id }, index) => [id, index]));
  const positionOf = ({ id }: ComparedLink) => positions.get(id) ?? before.length;
  return { old: toDisplay(before), new: toDisplay(after.toSorted((a, b) => positionOf(a) - positionOf(b))) };
}

function linksIn(value: unknown): ComparedLink[] {
  return Array.isArray(value) ? (value as ComparedLink[]) : [];
}

function linkChanges(
  link: string,
  { traits: { pivot = {} } }: Field,
  before: readonly ComparedLink[],
  after: readonly ComparedLink[],
): LinkChange[] {
  const remainingLinks = new Map(before.map((comparedLink) => [comparedLink.id, comparedLink]));
  const changesOf = (old: Row, current: Row) =>
    Object.fromEntries(
      Object.entries(pivot).flatMap(([name, field]) => {
        const [oldValue, newValue] = [old[name] ?? null, current[name] ?? null];
        return isSameValue(field, oldValue, newValue)
          ? []
          : [[name, { old: oldValue, new: newValue }] as const];
      }),
    );
  const changedLinks = after.flatMap((comparedLink): LinkChange[] => {
    const old = remainingLinks.get(comparedLink.id);
    const fields = changesOf(old ?? {}, comparedLink);
    if (remainingLinks.delete(comparedLink.id) && Object.keys(fields).length === 0) return [];
    return [{ action: old ? 'update' : 'create', link, key: linkedRecordName(comparedLink), fields }];
  });
  const removals = [...remainingLinks.values()].map((comparedLink): LinkChange => {
    return {
      action: 'delete',
      link,
      key: linkedRecordName(comparedLink),
      fields: changesOf(comparedLink, {}),
    };
  });
  return [...changedLinks, ...removals];
}

// Converts values of two accounts for comparison: related records are identified by name, never by ID.

/** A link as in requests, with a name instead of the ID: `{id: 'Tomatoes', quantity: 2}`. */
export interface ComparedLink extends Row {
  id: string;
}

/**
 * Returns the compared fields by name: all fields in responses except IDs, secrets and timestamps that the service
 * sets. A link that responses contain at both ends is compared only at the end that stores it, if that resource is compared.
 */
function comparedFields(
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
function returnedValue(row: Row, name: string, { kind }: Field): unknown {
  const value = Object.hasOwn(row, name) ? row[name] : kind === 'one' ? row[`${name}_id`] : undefined;
  return value ?? null;
}

/** Returns the value with names instead of IDs, so that it can be compared with a value of another account. */
function comparedValue(
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

function linkedRecordName({ id }: ComparedLink): string {
  return id.split(numberSeparator)[0] ?? id;
}

/** Sorts items by their key as JSON. */
function sortBy<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): Item[] {
  const keyedItems = items.map((item) => ({ item, key: JSON.stringify(keyOf(item)) }));
  return keyedItems.sort((a, b) => compareStrings(a.key, b.key)).map(({ item }) => item);
}

/** Returns the value as a plan displays it: a link without fields is displayed as its name. */
function toDisplayValue(resource: Resource, name: string, field: Field, value: unknown): unknown {
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
