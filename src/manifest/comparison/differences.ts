/** What differs between the two records of a pair, field by field and link by link, in the form in which plans are shown. */

import type { Field } from '../../contract/field.ts';
import { keyForm } from '../../contract/key-form.ts';
import type { Resource } from '../../contract/resource.ts';
import type { FieldChange } from '../../session/diff/fields.ts';
import { manifestFields } from '../declared/fields.ts';
import type { Difference, LinkChange } from '../plan/change.ts';
import { valueIn } from '../plan/wants.ts';
import { type ComparedLink, isSameCompared, linkMark, shownCompared } from './compared-values.ts';
import type { ComparedRecord } from './pair-records.ts';

type Fields = readonly (readonly [string, Field])[];

export function onlyHere(resource: Resource, fields: Fields, record: ComparedRecord): Difference {
  const given = fields.filter(([name]) => !isNothing(record.values.get(name)));
  return {
    ...named(resource, record, 'create'),
    fields: Object.fromEntries(
      given.map(([name, field]) => [
        name,
        { old: null, new: shownCompared(resource, name, field, record.values.get(name)) },
      ]),
    ),
  };
}

export function onlyThere(resource: Resource, record: ComparedRecord): Difference {
  return named(resource, record, 'delete');
}

/** From what the second account has to what the first one has; undefined where they are the same. */
export function recordDifference(
  resource: Resource,
  fields: Fields,
  one: ComparedRecord,
  other: ComparedRecord,
): Difference | undefined {
  const changed: Record<string, FieldChange> = {};
  const links: LinkChange[] = [];
  for (const [name, field] of fields) {
    const [ours, theirs] = [one.values.get(name), other.values.get(name)];
    if (isSameCompared(field, theirs, ours) || isSameKey(resource, name, field, ours, theirs)) continue;
    if (manifestFields(resource).get(name)?.link || (field.kind === 'many' && field.traits.pivot))
      links.push(...linkChanges(name, field, linksIn(theirs), linksIn(ours)));
    else changed[name] = fieldChange(resource, name, field, theirs, ours);
  }
  if (Object.keys(changed).length === 0 && links.length === 0) return undefined;
  return { ...named(resource, other, 'update'), fields: changed, links };
}

function named(resource: Resource, { row }: ComparedRecord, action: Difference['action']): Difference {
  const key = [...resource.key, resource.title ?? 'id', 'id'].map((name) => valueIn(row, name, resource));
  const text = key.find((each) => each !== null) ?? '';
  const title = row[resource.title ?? 'id'];
  const id = typeof row.id === 'string' ? row.id : undefined;
  const isOther = typeof title === 'string' && title !== '' && title !== text;
  return { action, resource, key: text, title: isOther ? title : undefined, id, fields: {}, links: [] };
}

/** Two that are the same key to every look-up, however either is written. */
function isSameKey(resource: Resource, name: string, field: Field, one: unknown, other: unknown): boolean {
  if (!resource.key.includes(name) || typeof one !== 'string' || typeof other !== 'string') return false;
  return keyForm(field, one) === keyForm(field, other);
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** Of a list, those that both have stand first, in the order of the second. */
function fieldChange(
  resource: Resource,
  name: string,
  field: Field,
  theirs: unknown,
  ours: unknown,
): FieldChange {
  const shown = (value: unknown) => shownCompared(resource, name, field, value) ?? null;
  if (field.kind !== 'many') return { old: shown(theirs), new: shown(ours) };
  const [before, after] = [linksIn(theirs), linksIn(ours)];
  const places = new Map(before.map((link, at) => [linkMark(link), at]));
  const placeOf = (link: ComparedLink) => places.get(linkMark(link)) ?? before.length;
  return { old: shown(before), new: shown(after.toSorted((a, b) => placeOf(a) - placeOf(b))) };
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
  const open = [...before];
  const take = (fits: (other: ComparedLink) => boolean) => {
    const at = open.findIndex(fits);
    return at < 0 ? undefined : open.splice(at, 1)[0];
  };
  const changesOf = (old: ComparedLink['held'], now: ComparedLink['held']) =>
    Object.fromEntries(
      Object.entries(pivot).flatMap(([name, field]) => {
        const [is, will] = [old[name] ?? null, now[name] ?? null];
        return isSameCompared(field, is, will) ? [] : [[name, { old: is, new: will }] as const];
      }),
    );
  const isSameHeld = (one: ComparedLink, other: ComparedLink) =>
    one.called === other.called && Object.keys(changesOf(one.held, other.held)).length === 0;
  const changed = after.filter((one) => !take((other) => isSameHeld(other, one)));
  const told = changed.map((one): LinkChange => {
    const old = take(({ called }) => called === one.called);
    const fields = changesOf(old?.held ?? {}, one.held);
    return { action: old ? 'update' : 'create', link, key: one.called, fields };
  });
  const gone = open.map(({ called, held }): LinkChange => {
    return { action: 'delete', link, key: called, fields: changesOf(held, {}) };
  });
  return [...told, ...gone];
}
