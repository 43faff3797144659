/** What of a write is irreversible, in sentences: to be said before it is sent. */

import { apiOf } from './api.ts';
import { withArticle } from './article.ts';
import { capital } from './capital.ts';
import type { Field } from './field.ts';
import { isList } from './list-text.ts';
import type { BodyField, Operation } from './operation.ts';
import type { Resource } from './resource.ts';

type Given = Readonly<Record<string, unknown>>;

/** None where all of it can be undone. */
export function lastingOf(write: Operation, given: Given): string[] {
  const { effect, resource, inverse } = write;
  const { noun, nouns } = resource;
  switch (effect) {
    case 'create':
      return [
        ...(resource.delete ? [] : [`${capital(withArticle(noun))} can’t be deleted again.`]),
        ...lastingGiven(write, given),
        ...(resource.announced
          ? [`Users who have asked to be told of new ${nouns} are told, which can’t be undone.`]
          : []),
      ];
    case 'update':
      return lastingGiven(write, given);
    case 'delete':
      return inverse ? [] : [`${capital(nouns)} can’t be brought back.`];
    case 'act':
      return inverse
        ? []
        : [`${capital(withArticle(noun))} that is ${write.done} stays so: that can’t be undone.`];
    default:
      return [];
  }
}

function lastingGiven(write: Operation, given: Given): string[] {
  const sentences = write.body.flatMap((entry) =>
    Object.hasOwn(given, entry.name) ? (lastingField(write, entry, given[entry.name]) ?? []) : [],
  );
  return [...new Set(sentences)];
}

/** Fields of a creation or an update that may be irreversible: with any value, or with some. */
export function lastingFields({ effect, resource, body }: Operation): BodyField[] {
  if (effect !== 'create' && effect !== 'update') return [];
  const decides = ({ shown, field }: BodyField) =>
    resource.settled?.[shown] !== undefined ||
    (effect === 'update' &&
      (field.isHidden || resource.oneWay?.[shown] !== undefined || ownersMovedFrom(field, resource)));
  return body.filter(decides);
}

/** Why writing this value to a field can't be undone; undefined where it can. */
export function lastingField(
  { effect, resource }: Pick<Operation, 'effect' | 'resource'>,
  { shown, field }: BodyField,
  value: unknown,
): string | undefined {
  const { label = shown.replaceAll('_', ' ') } = field.traits;
  const { noun } = resource;
  const isOneOf = (values: readonly number[] | undefined) => values?.includes(Number(value)) === true;
  if (effect === 'create')
    return isOneOf(resource.settled?.[shown])
      ? `With this ${label} the ${noun} takes effect at once, so that creating it can't be undone.`
      : undefined;
  if (field.isHidden)
    return `The ${label} that was there is kept nowhere, so that the change can’t be undone.`;
  if (isOneOf(resource.settled?.[shown]))
    return `With this ${label} the ${noun} takes effect, so that the change can’t be undone.`;
  if (isOneOf(resource.oneWay?.[shown]))
    return `From this ${label} ${withArticle(noun)} can't go back to an earlier one: the change can't be undone.`;
  const owners = ownersMovedFrom(field, resource);
  if (owners && Array.isArray(value) && value.length > 0)
    return `${capital(owners.nouns)} move here from the ${owners.owner} they were in, so that the change can't be undone.`;
  return undefined;
}

/**
 * Of a list of records that each have one owner: writing it moves them to this record, and nothing says what they were in
 * before. Undefined for any other field.
 */
function ownersMovedFrom(
  { kind, traits: { target = '', inverseOf = '' } }: Field,
  resource: Resource,
): { nouns: string; owner: string } | undefined {
  if (kind !== 'many' || inverseOf === '') return undefined;
  const other = apiOf(resource).resource(target);
  return other?.fields[inverseOf]?.kind === 'one' ? { nouns: other.nouns, owner: resource.noun } : undefined;
}

/** Whether a record has taken effect: its contents stay as they are, and deleting it leaves the effect. */
export function isSettled({ settled = {} }: Pick<Resource, 'settled'>, record: Given): boolean {
  return Object.entries(settled).some(([name, values]) => values.includes(Number(record[name])));
}

/**
 * The same as `lastingOf`, and what the record that is there tells: an update fills a field that was empty, or that the
 * record doesn't show, and nothing empties it again. `before` is undefined where it isn't known.
 */
export function lastingFor(write: Operation, given: Given, before: Given | undefined): string[] {
  const filled = before ? fieldsFilled(write, given, before) : [];
  const sentences = filled.map(({ shown, field }) => {
    const { label = shown.replaceAll('_', ' ') } = field.traits;
    return `The ${write.resource.noun} shows no ${label} now, and the API has no way to empty it again: the change can't be undone.`;
  });
  const hidden = before && hidesLink(write, before) ? [hiddenLink(write)] : [];
  return [...new Set([...lastingOf(write, given), ...sentences, ...hidden])];
}

/** Whether an unlink is about a link that the record doesn't show, as that to a deleted record: `before` holds that link alone. */
function hidesLink({ effect, link }: Operation, before: Given): boolean {
  const links = effect === 'unlink' && link ? before[link.field] : undefined;
  return Array.isArray(links) && links.length === 0;
}

function hiddenLink({ resource: { noun } }: Operation): string {
  return `The ${noun} doesn't show this link, so that nobody knows what it holds: removing it can't be undone.`;
}

/** Fields that an update fills and that can't be empty again. */
function fieldsFilled({ effect, body }: Operation, given: Given, before: Given): BodyField[] {
  if (effect !== 'update') return [];
  return body.filter(
    ({ name, shown, field }) =>
      !isEmpty(given[name]) &&
      isEmpty(before[shown] ?? before[name]) &&
      !field.isHidden &&
      !field.traits.leftAside &&
      emptied(field) === undefined,
  );
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** What a request says to empty a field; undefined where the API has no way to empty it. */
export function emptied(field: Field): { value: unknown } | undefined {
  if (field.traits.nullable) return { value: null };
  if (field.kind === 'text' && !field.traits.required) return { value: '' };
  const isSeveral = isList(field) || field.kind === 'objects';
  return isSeveral && !field.traits.required ? { value: [] } : undefined;
}

/** Whether anything of it can be undone. `before` is the record as it was; undefined where that makes no difference. */
export function canBeUndone(write: Operation, given: Given, before?: Given): boolean {
  const { effect, resource, inverse } = write;
  const isGiven = ({ name }: BodyField) => Object.hasOwn(given, name);
  if (effect === 'create') return resource.delete !== undefined && lastingGiven(write, given).length === 0;
  if (effect !== 'update') return inverse !== undefined && !(before && hidesLink(write, before));
  const isFrozen = ({ shown }: BodyField) =>
    resource.frozen?.includes(shown) === true && isSettled(resource, given);
  const filled = before ? fieldsFilled(write, given, before) : [];
  return write.body.some(
    (entry) =>
      isGiven(entry) &&
      !isFrozen(entry) &&
      !filled.includes(entry) &&
      lastingField(write, entry, given[entry.name]) === undefined,
  );
}
