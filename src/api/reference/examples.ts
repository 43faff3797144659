/** Derives examples of operations from the contract. They run on the demo business of the sandbox. */
import { quoteForShell } from '../../base/hint.ts';
import { type Api, apiOf } from '../contract/api.ts';
import { type CompositeOperation, isComposite, keyFields } from '../contract/composite.ts';
import type { Field } from '../contract/field.ts';
import { type BodyField, linkFields, type Operation } from '../contract/operation.ts';
import { flagName, formatInput } from '../contract/value-text.ts';

/** Returns the example command line of an operation: `boh --sandbox suppliers get "@Fresh Farms"`. */
export function formatExample(operation: Operation): string {
  return `boh ${exampleArguments(operation).map(quoteForShell).join(' ')}`;
}

export function exampleArguments(operation: Operation): string[] {
  const { resource, command, params, effect, inverse } = operation;
  const api = apiOf(resource);
  if (isComposite(operation)) return ['--sandbox', ...command.split(' '), ...exampleUpsertFlags(operation)];
  const isConfirmed = effect === 'delete' || (effect === 'act' && !inverse);
  const confirmation = isConfirmed ? ['--yes'] : [];
  return [
    '--sandbox',
    ...command.split(' '),
    ...params.map(({ target, exampleKey }) =>
      exampleKey === undefined ? exampleIdentifier(target, api) : `@${exampleKey}`,
    ),
    ...exampleFlags(operation),
    ...confirmation,
  ];
}

/** Returns the flags of an upsert that creates a record; its key is the name, or else all identifying fields. */
function exampleUpsertFlags({ resource, steps }: CompositeOperation): string[] {
  const create = steps.find(({ effect }) => effect === 'create');
  if (!create) return [];
  const exampleNames = selectExampleFields(create).map(({ name }) => name);
  const keys = keyFields(create).filter(({ name }) => exampleNames.includes(name));
  const title = keys.find(({ name }) => name === resource.title && resource.key.includes(name));
  const key = title ? [title] : keys;
  return ['--key', key.map(({ name }) => name).join(','), ...exampleFlags(create)];
}

function exampleFlags(operation: Operation): string[] {
  const { effect, resource } = operation;
  if (effect === 'list') {
    const key = resource.exampleKeyField ?? resource.key[0];
    return key ? [`--${flagName(key)}`, resource.exampleKey] : ['--limit', '5'];
  }
  const api = apiOf(resource);
  return selectExampleFields(operation).flatMap(({ name, field }) => {
    const value = formatExampleValue(field, api);
    return value === undefined ? [] : [`--${flagName(name)}`, value];
  });
}

/** Selects the fields of an example: required and a few more for a creation, one for an update, all for a link. */
function selectExampleFields({ effect, resource, body }: Operation): readonly BodyField[] {
  const api = apiOf(resource);
  const plain = body.filter(({ field }) => !field.traits.secret && !field.traits.defaultsToSignedInUser);
  if (effect === 'update') {
    const changeable = plain.filter(
      ({ field }) => !field.traits.unique && formatExampleValue(field, api) !== undefined,
    );
    // Names come last: an example that renames a record would break the examples that find it by name.
    const isKey = ({ name }: BodyField) => name === resource.title || resource.key.includes(name);
    const isName = ({ name }: BodyField) => resource.title !== undefined && name.startsWith(resource.title);
    return changeable
      .toSorted((a, b) => Number(isName(a)) - Number(isName(b)))
      .toSorted((a, b) => Number(isKey(a)) - Number(isKey(b)))
      .slice(0, 1);
  }
  if (effect !== 'create') return plain;
  const required = plain.filter(({ field }) => field.traits.required);
  const optional = plain.filter(({ field }) => !field.traits.required && field.traits.example !== undefined);
  return [...required, ...optional.slice(0, Math.max(0, 3 - required.length))];
}

/** Returns the example value of a field for the command line; undefined if there is none. */
export function formatExampleValue(field: Field, api: Api): string | undefined {
  const { example, target, amountField, pivot } = field.traits;
  if (field.kind === 'many') {
    if (linkFields(field).some(({ name, isRequired }) => isRequired && name !== amountField))
      return undefined;
    const id = exampleIdentifier(target ?? '', api);
    return amountField ? `${id}=${String(pivot?.[amountField]?.traits.example)}` : id;
  }
  if (field.kind === 'one')
    return typeof example === 'string' ? example : exampleIdentifier(target ?? '', api);
  return example === undefined ? undefined : formatInput(field, example);
}

/** Returns the example value of a field in JSON; for relations, the ID of a record of the demo business. Never returns a secret. */
export function exampleValue(field: Field, api: Api): unknown {
  const { example, secret, target = '' } = field.traits;
  if (secret || example !== undefined) return secret ? undefined : example;
  const id = api.exampleId(target);
  if (field.kind === 'one') return id;
  if (field.kind !== 'many') return undefined;
  const pairs = linkFields(field).map(({ name, field: inner }) => [name, exampleValue(inner, api)]);
  return [{ id, ...Object.fromEntries(pairs.filter(([, value]) => value !== undefined)) }];
}

/** Returns the identifier of an example record: its natural key after @, or its ID if it has no key. */
function exampleIdentifier(target: string, api: Api): string {
  const resource = api.resource(target);
  if (!resource) return api.reference(target)?.exampleId ?? '';
  return resource.key.length > 0 ? `@${resource.exampleKey}` : resource.exampleKey;
}
