/** By what a declared record is known: its natural key, or the fields that `$key` names; and the key that it had before. */

import { isScalar } from '../../base/number-text.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Mistakes } from '../source/mistakes.ts';
import type { MapNode, Node } from '../source/node.ts';
import type { Given, KeyPart } from './declared.ts';
import { manifestFields } from './fields.ts';
import { readValue, unknown, type ValueReading } from './read-value.ts';
import { Ref } from './ref.ts';

/** The first of the natural keys that has a value. */
export function defaultKey(resource: Resource, given: ReadonlyMap<string, Given>): KeyPart | undefined {
  for (const name of resource.key) {
    const value = given.get(name)?.value;
    if (value !== undefined && value !== null && value !== '') return { name, value };
  }
  return undefined;
}

export function keyOver(
  node: Node,
  given: ReadonlyMap<string, Given>,
  resource: Resource,
  mistakes: Mistakes,
): KeyPart[] | undefined {
  const items = node.kind === 'list' ? node.items : [node];
  const parts: KeyPart[] = [];
  for (const item of items) {
    const name = item.kind === 'scalar' ? item.text : '';
    const field = manifestFields(resource).get(name);
    const value = given.get(name)?.value;
    if (!field)
      mistakes.add(item.at, unknown(name || 'this', [...manifestFields(resource).keys()], resource.noun));
    else if (field.field.traits.secret || !isTelling(value))
      mistakes.add(item.at, `${name} can’t be a part of the key: the record gives it no single value`);
    else parts.push({ name, value });
  }
  if (items.length === 0) mistakes.add(node.at, '$key names no field');
  return parts.length === items.length && parts.length > 0 ? parts : undefined;
}

function isTelling(value: unknown): boolean {
  return value instanceof Ref || (value !== undefined && value !== null && isScalar(value));
}

/** `$renamed_from: OLD` is an old value of the first field of the key; a map names the fields. */
export function oldKeyFrom(
  record: MapNode,
  resource: Resource,
  key: readonly KeyPart[] | undefined,
  reading: ValueReading,
): KeyPart[] | undefined {
  const entry = record.entries.find(({ name }) => name === '$renamed_from');
  if (!entry || !key) return undefined;
  const { value: node } = entry;
  const named = node.kind === 'map' ? node.entries.map(({ name, at, value }) => ({ name, at, value })) : [];
  const given = node.kind === 'scalar' ? [{ name: key[0]?.name ?? '', at: node.at, value: node }] : named;
  const parts = given.flatMap(({ name, at, value }): KeyPart[] => {
    const field = manifestFields(resource).get(name)?.field;
    if (!field) {
      reading.mistakes.add(at, unknown(name, [...manifestFields(resource).keys()], resource.noun));
      return [];
    }
    const read = readValue(field, value, reading, undefined);
    return read === undefined ? [] : [{ name, value: read }];
  });
  if (node.kind === 'list' || given.length === 0)
    reading.mistakes.add(node.at, '$renamed_from must be the old key');
  const [first] = key;
  // The parts of a key that stay as they are need not be said again.
  const rest = node.kind === 'scalar' ? key.slice(1) : [];
  if (parts.length === 0 || first === undefined) return undefined;
  return [...parts, ...rest];
}
