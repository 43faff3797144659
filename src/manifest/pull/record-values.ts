/** A record of the account as a manifest declares it: what a write could give, by the words of manifests. */

import { type Api, apiOf } from '../../contract/api.ts';
import { isKeptByOther } from '../../contract/dependency-order.ts';
import type { Field } from '../../contract/field.ts';
import type { BodyField } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { bodyFrom } from '../../session/record-body.ts';
import { isRow, type Row } from '../../session/row.ts';
import { type ManifestField, manifestFields } from '../declared/fields.ts';
import { shownValue } from '../plan/names.ts';
import type { Keys, Name } from './keys.ts';

export interface Pulling {
  api: Api;
  /** Of every resource that records point at. */
  keys: ReadonlyMap<string, Keys>;
  /** What the account calls a record that the API has no list of; undefined where only its id tells. */
  referenceName(target: string, id: string): string | undefined;
  /** Whether links that aren't there are to go, and what is empty is to be emptied. */
  isExact: boolean;
}

/** Fields that a pull writes: links that stand at both ends are written at one, and secrets nowhere. */
export function pulledFields(resource: Resource): ManifestField[] {
  const api = apiOf(resource);
  return [...manifestFields(resource).values()].filter(
    ({ field }) => !field.isHidden && !isKeptByOther(api, field),
  );
}

/** `names` are those of its key. */
export function declaredRow(
  resource: Resource,
  row: Row,
  names: readonly string[] | undefined,
  pulling: Pulling,
): Row {
  const key = names === undefined ? {} : { $key: [...names] };
  const values = pulledFields(resource).flatMap((field) => {
    const value = valueFor(field, resource, row, pulling);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  return { ...key, ...(pulling.isExact && { $exact: true }), ...Object.fromEntries(values) };
}

function valueFor(field: ManifestField, resource: Resource, row: Row, pulling: Pulling): unknown {
  const plain: BodyField = {
    name: field.name,
    shown: field.name,
    field: field.field,
    isRequired: false,
    mustBeGiven: false,
  };
  const entry = field.update ?? field.create ?? plain;
  const { body } = bodyFrom({ body: [entry] }, row);
  const value = body[entry.name];
  if (value === undefined || value === '') return undefined;
  const isNone = value === null || (Array.isArray(value) && value.length === 0);
  if (isNone) return pulling.isExact ? value : undefined;
  const showing = {
    resource,
    called: (target: string, id: unknown, only?: Field['traits']['only']) =>
      called(target, String(id), only, pulling),
  };
  return tidy(field.field, shownValue(field.field, value, field.name, showing), pulling.isExact);
}

function called(target: string, id: string, only: Field['traits']['only'], pulling: Pulling): unknown {
  if (target === '') return anyOf(id, pulling);
  const keys = pulling.keys.get(target);
  if (keys) return keys.nameOf(id, only);
  return pulling.referenceName(target, id) ?? id;
}

/** One of several kinds: what can be listed says of which kind it is. */
function anyOf(id: string, { api, keys }: Pulling): unknown {
  for (const [name, own] of keys) {
    if (!own.has(id)) continue;
    const of: Name = own.nameOf(id, undefined);
    return { [api.resource(name)?.one ?? name]: of };
  }
  return id;
}

/** In the same order each time, where it has none of its own; without what is empty, unless that is to be said. */
function tidy(field: Field, value: unknown, isExact: boolean): unknown {
  if (!Array.isArray(value)) return value;
  const { allowed } = field.traits;
  if (field.kind === 'words' && allowed) {
    // A word that the contract doesn't know is told of when it is applied, rather than dropped here.
    const others = value.filter((word) => !allowed.includes(word)).sort();
    return [...allowed.filter((word) => value.includes(word)), ...others];
  }
  if (field.kind === 'integers') return [...value].sort((a, b) => compare(String(a), String(b)));
  if (field.kind === 'objects') return value.map((part) => tidyPart(field, part, isExact));
  if (field.kind !== 'many') return value;
  const links = isExact ? value : value.map((link) => (isRow(link) ? withoutNone(link) : link));
  return links.sort((a, b) => compare(JSON.stringify(a), JSON.stringify(b)));
}

function tidyPart({ traits: { fields = {} } }: Field, part: unknown, isExact: boolean): unknown {
  if (!isRow(part)) return part;
  const entries = Object.entries(isExact ? part : withoutNone(part)).map(([name, value]) => {
    const field = fields[name];
    return [name, field ? tidy(field, value, isExact) : value];
  });
  return Object.fromEntries(entries);
}

function withoutNone(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).filter(
      ([, value]) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
