/** Describes what can't be undone about a write, to be shown before it is sent. */
import { apiOf } from './api.ts';
import type { Field } from './field.ts';
import { isList } from './list-text.ts';
import type { BodyField, Operation } from './operation.ts';
import type { Resource } from './resource.ts';
import { capitalized, withArticle } from './wording.ts';

type Given = Readonly<Record<string, unknown>>;

/** Returns a sentence for each part of a write that can't be undone; empty if all of it can. */
export function irreversibleEffects(write: Operation, given: Given): string[] {
  const { effect, resource, inverse } = write;
  const { noun, nouns } = resource;
  switch (effect) {
    case 'create':
      return [
        ...(resource.delete ? [] : [`${capitalized(nouns)} can't be deleted.`]),
        ...irreversibleChanges(write, given),
        ...(resource.notifiesUsers ? ["Subscribed users will be notified. This can't be undone."] : []),
      ];
    case 'update':
      return irreversibleChanges(write, given);
    case 'delete':
      return inverse ? [] : [`${capitalized(nouns)} can't be restored.`];
    case 'act':
      return inverse ? [] : [`The ${noun} will stay ${write.done}. This can't be undone.`];
    default:
      return [];
  }
}

function irreversibleChanges(write: Operation, given: Given): string[] {
  const sentences = write.body.flatMap((entry) =>
    Object.hasOwn(given, entry.name) ? (irreversibleChange(write, entry, given[entry.name]) ?? []) : [],
  );
  return [...new Set(sentences)];
}

/** Returns the fields of a creation or an update for which some value or any value is irreversible. */
export function irreversibleFields({ effect, resource, body }: Operation): BodyField[] {
  if (effect !== 'create' && effect !== 'update') return [];
  const decides = ({ shown, field }: BodyField) =>
    resource.inEffectWhen?.[shown] !== undefined ||
    (effect === 'update' &&
      (field.isHidden || resource.oneWay?.[shown] !== undefined || recordsMoved(field, resource)));
  return body.filter(decides);
}

/** Returns why writing this value to a field can't be undone; undefined if it can. */
export function irreversibleChange(
  { effect, resource }: Pick<Operation, 'effect' | 'resource'>,
  { shown, field }: BodyField,
  value: unknown,
): string | undefined {
  const { label = shown.replaceAll('_', ' ') } = field.traits;
  const { noun } = resource;
  const isOneOf = (values: readonly number[] | undefined) => values?.includes(Number(value)) === true;
  if (effect === 'create')
    return isOneOf(resource.inEffectWhen?.[shown])
      ? `With this ${label}, the new ${noun} takes effect immediately. This can't be undone.`
      : undefined;
  if (field.isHidden) return `The current ${label} can't be read. Changing it can't be undone.`;
  if (isOneOf(resource.inEffectWhen?.[shown]))
    return `With this ${label}, the ${noun} takes effect. This can't be undone.`;
  if (isOneOf(resource.oneWay?.[shown]))
    return `From this ${label}, ${withArticle(noun)} can't return to an earlier one. This can't be undone.`;
  const moved = recordsMoved(field, resource);
  if (moved && Array.isArray(value) && value.length > 0)
    return `The ${moved.nouns} are removed from their current ${moved.owner}. This can't be undone.`;
  return undefined;
}

/**
 * Returns the nouns for a list of records that each belong to one record: writing the list moves them here, and the
 * record that they leave isn't known. Undefined for any other field.
 */
function recordsMoved(
  { kind, traits: { target = '', inverseOf = '' } }: Field,
  resource: Resource,
): { nouns: string; owner: string } | undefined {
  if (kind !== 'many' || inverseOf === '') return undefined;
  const other = apiOf(resource).resource(target);
  return other?.fields[inverseOf]?.kind === 'one' ? { nouns: other.nouns, owner: resource.noun } : undefined;
}

/** Whether a record has taken effect: its contents can't change, and deleting it doesn't undo the effect. */
export function hasTakenEffect(
  { inEffectWhen = {} }: Pick<Resource, 'inEffectWhen'>,
  record: Given,
): boolean {
  return Object.entries(inEffectWhen).some(([name, values]) => values.includes(Number(record[name])));
}

/**
 * Returns the sentences of `irreversibleEffects`, and those that depend on the current record `before`: an update fills an
 * empty field that can't be cleared, or removes a link that the record doesn't show. `before` is undefined if unknown.
 */
export function irreversibleEffectsOn(write: Operation, given: Given, before: Given | undefined): string[] {
  const filled = before ? fieldsFilled(write, given, before) : [];
  const sentences = filled.map(({ shown, field }) => {
    const { label = shown.replaceAll('_', ' ') } = field.traits;
    return `The ${write.resource.noun} has no ${label} yet, and the API can't clear it later. This can't be undone.`;
  });
  const hidden = before && hidesLink(write, before) ? [hiddenLink(write)] : [];
  return [...new Set([...irreversibleEffects(write, given), ...sentences, ...hidden])];
}

/** Whether an unlink removes a link that the record doesn't show, for example to a deleted record. `before` has only this link. */
function hidesLink({ effect, link }: Operation, before: Given): boolean {
  const links = effect === 'unlink' && link ? before[link.field] : undefined;
  return Array.isArray(links) && links.length === 0;
}

function hiddenLink({ resource: { noun } }: Operation): string {
  return `The ${noun} doesn't show the values of this link. Removing it can't be undone.`;
}

/** Returns the empty fields that an update fills and that can't be cleared later. */
function fieldsFilled({ effect, body }: Operation, given: Given, before: Given): BodyField[] {
  if (effect !== 'update') return [];
  return body.filter(
    ({ name, shown, field }) =>
      !isEmpty(given[name]) &&
      isEmpty(before[shown] ?? before[name]) &&
      !field.isHidden &&
      !field.traits.ignored &&
      emptyValue(field) === undefined,
  );
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Returns the value that clears a field in a request; undefined if the API can't clear it. */
export function emptyValue(field: Field): { value: unknown } | undefined {
  if (field.traits.nullable) return { value: null };
  if (field.kind === 'text' && !field.traits.required) return { value: '' };
  const isSeveral = isList(field) || field.kind === 'objects';
  return isSeveral && !field.traits.required ? { value: [] } : undefined;
}

/** Whether any part of a write can be undone. `before` is the record before the write; undefined if it makes no difference. */
export function canBeUndone(write: Operation, given: Given, before?: Given): boolean {
  const { effect, resource, inverse } = write;
  const isGiven = ({ name }: BodyField) => Object.hasOwn(given, name);
  if (effect === 'create')
    return resource.delete !== undefined && irreversibleChanges(write, given).length === 0;
  if (effect !== 'update') return inverse !== undefined && !(before && hidesLink(write, before));
  const isFrozen = ({ shown }: BodyField) =>
    resource.frozen?.includes(shown) === true && hasTakenEffect(resource, given);
  const filled = before ? fieldsFilled(write, given, before) : [];
  return write.body.some(
    (entry) =>
      isGiven(entry) &&
      !isFrozen(entry) &&
      !filled.includes(entry) &&
      irreversibleChange(write, entry, given[entry.name]) === undefined,
  );
}
