/**
 * Compares two accounts without files: all active records that both tokens may list, with all fields that responses
 * contain.
 */

import { compareStrings } from '../../base/compare-strings.ts';
import type { Field } from '../../contract/field.ts';
import { normalizeKey } from '../../contract/normalize-key.ts';
import type { Resource } from '../../contract/resource.ts';
import type { FieldChange } from '../../session/diff/fields.ts';
import { isEmptyValue, isSameInBothDirections, isSameValue } from '../../session/diff/values.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { manifestFields } from '../declared/fields.ts';
import { Pauses } from '../pauses.ts';
import type { Difference, LinkChange } from '../plan/change.ts';
import { keyTextIn } from '../plan/lookups.ts';
import {
  type ComparedLink,
  comparedFields,
  comparedValue,
  displayValue,
  linkedName,
  returnedValue,
} from './compared-values.ts';
import { type AccountRecords, type ComparedRecord, pairRecords, readAccount } from './read-account.ts';

/** The accounts to compare, and what to compare. */
export interface ComparedAccounts {
  from: Session;
  to: Session;
  /** The resources to compare; undefined for all that can be listed. */
  resources: readonly Resource[] | undefined;
  /** Names of fields to ignore, including fields of links. */
  ignored: readonly string[];
  signal?: AbortSignal | undefined;
}

/** The outcome of a comparison. */
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
  const order = from.api.dependencyOrder().map(({ resource }) => resource);
  const comparedResources = accounts.resources ?? order.filter(({ list }) => list !== undefined);
  const pauses = new Pauses(signal);
  const needed = accounts.resources ?? [];
  const first = await readAccount(from, comparedResources, needed);
  const second = await readAccount(to, comparedResources, needed);
  const found: AccountComparison = { changes: [], same: 0, notCompared: [] };
  const deleted: Difference[] = [];
  for (const resource of order.filter((each) => comparedResources.includes(each))) {
    const hidden = [first, second].filter((account) => !account.rowsOf(resource));
    if (hidden.length > 0) {
      found.notCompared.push(notListed(resource, hidden));
      continue;
    }
    await pauses.pauseIfDue();
    const comparison = compareResource(resource, { first, second, wanted: comparedResources, ignored });
    found.changes.push(...comparison.changes);
    deleted.push(...comparison.deleted);
    found.same += comparison.same;
    found.notCompared.push(...comparison.notCompared);
  }
  found.changes.push(...deleted);
  return found;
}

interface ComparisonInput {
  first: AccountRecords;
  second: AccountRecords;
  wanted: readonly Resource[];
  ignored: readonly string[];
}

function compareResource(
  resource: Resource,
  { first, second, wanted, ignored }: ComparisonInput,
): AccountComparison & { deleted: Difference[] } {
  const rows = [first, second].map((account) => account.rowsOf(resource) ?? []);
  const all = comparedFields(resource, wanted, ignored);
  // A field that no record contains can't be compared.
  const missingIn = all.map(([name, field]) =>
    [first, second].filter(
      (_, index) => rows[index]?.length && !rows[index].some((row) => isShown(row, name, field.kind)),
    ),
  );
  const fields = all.filter((_, index) => missingIn[index]?.length === 0);
  const compared = (account: AccountRecords): ComparedRecord[] =>
    (account.rowsOf(resource) ?? []).map((row) => {
      const values = new Map(
        fields.map(([name, field]) => [
          name,
          comparedValue(field, returnedValue(row, name, field), account, ignored),
        ]),
      );
      return { row, values, fingerprint: JSON.stringify([...values.values()]) };
    });
  const paired = pairRecords(resource, compared(first), compared(second));
  const changes = paired.pairs.flatMap(
    ([one, other]) => recordDifference(resource, fields, one, other) ?? [],
  );
  return {
    changes: [...paired.first.map((one) => onlyInFirst(resource, fields, one)), ...changes].sort(byKey),
    deleted: paired.second.map((one) => onlyInSecond(resource, one)).sort(byKey),
    same: paired.pairs.length - changes.length,
    notCompared: notShown(
      resource,
      all.map(([name], index) => ({ name, without: missingIn[index] ?? [] })),
    ),
  };
}

function isShown(row: Row, name: string, kind: string): boolean {
  return Object.hasOwn(row, name) || (kind === 'one' && Object.hasOwn(row, `${name}_id`));
}

function byKey(one: Difference, other: Difference): number {
  return compareStrings(one.key, other.key);
}

function notListed({ nouns, list }: Resource, hidden: readonly AccountRecords[]): string {
  const scope = list ? ` (it needs the scope ${[list.scope].flat().join(' or ')})` : '';
  const whose = hidden.map(({ profile }) => profile).join(' and that of ');
  return `Not compared: ${nouns}. The token of ${whose} may not list them${scope}.`;
}

/** Returns one message for all fields that the same accounts don't return. */
function notShown(
  { nouns }: Resource,
  fields: readonly { name: string; without: readonly AccountRecords[] }[],
): string[] {
  const byAccounts = Map.groupBy(fields, ({ without }) =>
    without.map(({ profile }) => profile).join(' and '),
  );
  byAccounts.delete('');
  return [...byAccounts].map(([profiles, group]) => {
    const names = group.map(({ name }) => name).join(', ');
    return `Not compared: ${names} of ${nouns}. ${profiles} ${profiles.includes(' and ') ? "don't" : "doesn't"} return ${group.length > 1 ? 'them' : 'it'}.`;
  });
}

type Fields = readonly (readonly [string, Field])[];

function onlyInFirst(resource: Resource, fields: Fields, record: ComparedRecord): Difference {
  const given = fields.filter(([name]) => !isEmptyValue(record.values.get(name)));
  return {
    ...differenceOf(resource, record, 'create'),
    fields: Object.fromEntries(
      given.map(([name, field]) => [
        name,
        { old: null, new: displayValue(resource, name, field, record.values.get(name)) },
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
  fields: Fields,
  one: ComparedRecord,
  other: ComparedRecord,
): Difference | undefined {
  const changed: Record<string, FieldChange> = {};
  const links: LinkChange[] = [];
  for (const [name, field] of fields) {
    const [first, second] = [one.values.get(name), other.values.get(name)];
    if (isSameInBothDirections(field, second, first) || isSameKey(resource, name, field, first, second))
      continue;
    if (manifestFields(resource).get(name)?.link || (field.kind === 'many' && field.traits.pivot))
      links.push(...linkChanges(name, field, linksIn(second), linksIn(first)));
    else changed[name] = fieldChange(resource, name, field, second, first);
  }
  if (Object.keys(changed).length === 0 && links.length === 0) return undefined;
  return { ...differenceOf(resource, other, 'update'), fields: changed, links };
}

function differenceOf(resource: Resource, { row }: ComparedRecord, action: Difference['action']): Difference {
  const key = [...resource.key, resource.title ?? 'id', 'id'].map((name) => keyTextIn(row, name, resource));
  const text = key.find((each) => each !== null) ?? '';
  const title = row[resource.title ?? 'id'];
  const id = typeof row.id === 'string' ? row.id : undefined;
  const isOther = typeof title === 'string' && title !== '' && title !== text;
  return { action, resource, key: text, title: isOther ? title : undefined, id, fields: {}, links: [] };
}

/** Returns whether two values are the same key in a lookup, in spite of different spelling. */
function isSameKey(resource: Resource, name: string, field: Field, one: unknown, other: unknown): boolean {
  if (!resource.key.includes(name) || typeof one !== 'string' || typeof other !== 'string') return false;
  return normalizeKey(field, one) === normalizeKey(field, other);
}

/** Returns the change of a field. In a list the common items come first, in the order of the second account. */
function fieldChange(
  resource: Resource,
  name: string,
  field: Field,
  second: unknown,
  first: unknown,
): FieldChange {
  const shown = (value: unknown) => displayValue(resource, name, field, value) ?? null;
  if (field.kind !== 'many') return { old: shown(second), new: shown(first) };
  const [before, after] = [linksIn(second), linksIn(first)];
  const positions = new Map(before.map(({ id }, index) => [id, index]));
  const positionOf = ({ id }: ComparedLink) => positions.get(id) ?? before.length;
  return { old: shown(before), new: shown(after.toSorted((a, b) => positionOf(a) - positionOf(b))) };
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
  const removedLinks = new Map(before.map((one) => [one.id, one]));
  const changesOf = (old: Row, now: Row) =>
    Object.fromEntries(
      Object.entries(pivot).flatMap(([name, field]) => {
        const [before, after] = [old[name] ?? null, now[name] ?? null];
        return isSameValue(field, before, after) ? [] : [[name, { old: before, new: after }] as const];
      }),
    );
  const changed = after.flatMap((one): LinkChange[] => {
    const old = removedLinks.get(one.id);
    const fields = changesOf(old ?? {}, one);
    if (removedLinks.delete(one.id) && Object.keys(fields).length === 0) return [];
    return [{ action: old ? 'update' : 'create', link, key: linkedName(one), fields }];
  });
  const removed = [...removedLinks.values()].map((one): LinkChange => {
    return { action: 'delete', link, key: linkedName(one), fields: changesOf(one, {}) };
  });
  return [...changed, ...removed];
}
