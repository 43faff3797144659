/** The key of a declared record: `$key`, or its natural key. */

import type { Resource } from '../../../api/contract/resource.ts';
import { withArticle } from '../../../api/contract/wording.ts';
import { isScalar } from '../../../base/number-text.ts';
import type { Mistakes } from '../source/mistakes.ts';
import type { MapNode, Node } from '../source/node.ts';
import type { DeclaredValue, KeyPart } from './declared.ts';
import { fieldNamed, manifestFields } from './fields.ts';
import { unknownFieldMessage } from './parse-value.ts';
import { Ref } from './ref.ts';

/** Returns the key of a record: the fields of `$key`, or the first natural key with a value. */
export function parseKey(
  node: MapNode,
  values: ReadonlyMap<string, DeclaredValue>,
  resource: Resource,
  mistakes: Mistakes,
  hasNoMistakes: boolean,
): KeyPart[] | undefined {
  const entry = node.entries.find(({ name }) => name === '$key');
  if (entry) return parseKeyFields(entry.value, values, resource, mistakes);
  const key = defaultKey(resource, values);
  if (key) return [key];
  // The unreadable value may be the key.
  if (!hasNoMistakes) return undefined;
  const names = resource.key.filter((name) => manifestFields(resource).has(name));
  mistakes.add(
    node.location,
    names.length === 0
      ? `${resource.nouns} have no natural key: add $key with the fields that identify the record, for example $key: [name]`
      : `has no ${names.join(' or ')}, which identifies ${withArticle(resource.noun)}`,
  );
  return undefined;
}

/** Returns whether a record with mistakes has the key that it would have without them. */
export function isKeyCertain(
  node: MapNode,
  values: ReadonlyMap<string, DeclaredValue>,
  resource: Resource,
): boolean {
  const fields = manifestFields(resource);
  const hasUnknownFields = node.entries.some(
    ({ name }) => !name.startsWith('$') && !fieldNamed(fields, name),
  );
  if (node.entries.some(({ name }) => name === '$key')) return !hasUnknownFields;
  const first = defaultKey(resource, values);
  const precedingKeys = resource.key.slice(0, resource.key.indexOf(first?.name ?? ''));
  const hasValue = (name: string) =>
    node.entries.some((entry) => fieldNamed(fields, entry.name)?.name === name);
  return (
    first !== undefined && !(hasUnknownFields && precedingKeys.length > 0) && !precedingKeys.some(hasValue)
  );
}

export function defaultKey(
  resource: Resource,
  values: ReadonlyMap<string, DeclaredValue>,
): KeyPart | undefined {
  for (const name of resource.key) {
    const value = values.get(name)?.value;
    if (value !== undefined && value !== null && value !== '') return { name, value };
  }
  return undefined;
}

function parseKeyFields(
  node: Node,
  values: ReadonlyMap<string, DeclaredValue>,
  resource: Resource,
  mistakes: Mistakes,
): KeyPart[] | undefined {
  const items = node.kind === 'list' ? node.items : [node];
  const parts: KeyPart[] = [];
  for (const item of items) {
    const name = item.kind === 'scalar' ? item.text : '';
    const field = manifestFields(resource).get(name);
    const value = values.get(name)?.value;
    if (!field)
      mistakes.add(
        item.location,
        unknownFieldMessage(name || 'this', [...manifestFields(resource).keys()], resource.noun),
      );
    else if (field.field.traits.secret || !isIdentifying(value))
      mistakes.add(item.location, `${name} can't be part of the key: the record has no single value for it`);
    else parts.push({ name, value });
  }
  if (items.length === 0) mistakes.add(node.location, '$key must have at least one field');
  return parts.length === items.length && parts.length > 0 ? parts : undefined;
}

function isIdentifying(value: unknown): boolean {
  return value instanceof Ref || (value !== undefined && value !== null && isScalar(value));
}
