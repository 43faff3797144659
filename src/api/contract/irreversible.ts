/** Finds the parts of a write that can't be undone, so that users are warned before it is sent. */
import { apiOf } from './api.ts';
import { isListOrParts } from './comma-list.ts';
import type { Field } from './field.ts';
import type { BodyField, Operation } from './operation.ts';
import type { Resource } from './resource.ts';
import { capitalize, withArticle } from './wording.ts';

type Values = Readonly<Record<string, unknown>>;

/** Returns a warning for each part of a write that can't be undone; empty if all of it can be undone. */
export function irreversibleEffects(write: Operation, body: Values): string[] {
  const { effect, resource, inverse } = write;
  const { noun, nouns } = resource;
  switch (effect) {
    case 'create':
      return [
        ...(resource.delete ? [] : [`${capitalize(nouns)} can't be deleted.`]),
        ...irreversibleChanges(write, body),
        ...(resource.notifiesUsers ? ["Subscribed users will be notified. This can't be undone."] : []),
      ];
    case 'update':
      return irreversibleChanges(write, body);
    case 'delete':
      return inverse ? [] : [`${capitalize(nouns)} can't be restored.`];
    case 'act':
      return inverse ? [] : [`The ${noun} will stay ${write.pastTense}. This can't be undone.`];
    default:
      return [];
  }
}

function irreversibleChanges(write: Operation, body: Values): string[] {
  const warnings = write.body.flatMap((entry) =>
    Object.hasOwn(body, entry.name) ? (irreversibleChange(write, entry, body[entry.name]) ?? []) : [],
  );
  return [...new Set(warnings)];
}

/** Returns the fields of a creation or an update that may be irreversible, for some or for all values. */
export function irreversibleFields({ effect, resource, body }: Operation): BodyField[] {
  if (effect !== 'create' && effect !== 'update') return [];
  const mayBeIrreversible = ({ responseName, field }: BodyField) =>
    resource.effectiveWhen?.[responseName] !== undefined ||
    (effect === 'update' &&
      (field.isHidden ||
        resource.irreversibleValues?.[responseName] !== undefined ||
        movedRecords(field, resource)));
  return body.filter(mayBeIrreversible);
}

/** Returns why writing this value to a field can't be undone; undefined if it can be undone. */
export function irreversibleChange(
  { effect, resource }: Pick<Operation, 'effect' | 'resource'>,
  { responseName, field }: BodyField,
  value: unknown,
): string | undefined {
  const { label = responseName.replaceAll('_', ' ') } = field.traits;
  const { noun } = resource;
  const isOneOf = (values: readonly number[] | undefined) => values?.includes(Number(value)) === true;
  if (effect === 'create')
    return isOneOf(resource.effectiveWhen?.[responseName])
      ? `With this ${label}, the new ${noun} takes effect immediately. This can't be undone.`
      : undefined;
  if (field.isHidden) return `The current ${label} can't be read. Changing it can't be undone.`;
  if (isOneOf(resource.effectiveWhen?.[responseName]))
    return `With this ${label}, the ${noun} takes effect. This can't be undone.`;
  if (isOneOf(resource.irreversibleValues?.[responseName]))
    return `${capitalize(withArticle(noun))} with this ${label} can't return to an earlier ${label}. This can't be undone.`;
  const movedNouns = movedRecords(field, resource);
  if (movedNouns && Array.isArray(value) && value.length > 0)
    return `The ${movedNouns.nouns} are removed from their current ${movedNouns.owner}. This can't be undone.`;
  return undefined;
}

/**
 * Returns the nouns of a relation whose records each belong to one record: writing it removes them from other records,
 * and boh doesn't know which. Undefined for other fields.
 */
function movedRecords(
  { kind, traits: { target = '', inverseOf = '' } }: Field,
  resource: Resource,
): { nouns: string; owner: string } | undefined {
  if (kind !== 'many' || inverseOf === '') return undefined;
  const related = apiOf(resource).resource(target);
  return related?.fields[inverseOf]?.kind === 'one'
    ? { nouns: related.nouns, owner: resource.noun }
    : undefined;
}

/**
 * Returns whether a write has to be confirmed, because with it a record takes effect, or gets a status that it can't leave,
 * or because its action can't be undone. `before` is the record before the write, if it is known.
 */
export function takesEffect(write: Operation, body: Values, before: Values = {}): boolean {
  const { effect, resource, inverse } = write;
  if (effect === 'act') return inverse === undefined;
  if (effect !== 'create' && effect !== 'update') return false;
  const kinds = [resource.effectiveWhen, effect === 'update' ? resource.irreversibleValues : undefined];
  return write.body.some(
    ({ name, responseName }) =>
      Object.hasOwn(body, name) &&
      Number(before[responseName]) !== Number(body[name]) &&
      kinds.some((values) => values?.[responseName]?.includes(Number(body[name]))),
  );
}

/** Returns whether a record has taken effect, for example a closed stock count. Deleting it doesn't undo the effect. */
export function hasTakenEffect(
  { effectiveWhen = {} }: Pick<Resource, 'effectiveWhen'>,
  record: Values,
): boolean {
  return Object.entries(effectiveWhen).some(([name, values]) => values.includes(Number(record[name])));
}

/**
 * Returns the warnings of `irreversibleEffects`, and warnings that depend on the record before the write: an update fills
 * an empty field that can't be cleared, or removes a link that the record doesn't contain. `before` is undefined if unknown.
 */
export function irreversibleEffectsOn(write: Operation, body: Values, before: Values | undefined): string[] {
  const filledNames = (before ? fieldsToFill(write, body, before) : []).map(({ name }) => name);
  const warnings =
    filledNames.length === 0
      ? []
      : [
          `Once set, ${filledNames.join(' and ')} of ${withArticle(write.resource.noun)} can't be cleared. This can't be undone.`,
        ];
  const hiddenLinkWarnings = before && isHiddenLink(write, before) ? [hiddenLinkWarning(write)] : [];
  return [...new Set([...irreversibleEffects(write, body), ...warnings, ...hiddenLinkWarnings])];
}

/** Returns whether an unlink removes a link that the record doesn't contain, for example to a deleted record. `before` contains only this link. */
function isHiddenLink({ effect, link }: Operation, before: Values): boolean {
  const links = effect === 'unlink' && link ? before[link.field] : undefined;
  return Array.isArray(links) && links.length === 0;
}

function hiddenLinkWarning({ resource: { noun } }: Operation): string {
  return `The ${noun} has no readable values for this link. Removing it can't be undone.`;
}

/** Returns the empty fields that an update fills and that can't be cleared later. */
function fieldsToFill({ effect, body: fields }: Operation, body: Values, before: Values): BodyField[] {
  if (effect !== 'update') return [];
  return fields.filter(
    ({ name, responseName, field }) =>
      !isEmpty(body[name]) &&
      isEmpty(before[responseName] ?? before[name]) &&
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
  return isListOrParts(field) && !field.traits.required ? { value: [] } : undefined;
}

/** Returns whether any part of a write can be undone. `before` is the record before the write; undefined if it makes no difference. */
export function canBeUndone(write: Operation, body: Values, before?: Values): boolean {
  const { effect, resource, inverse } = write;
  const isInBody = ({ name }: BodyField) => Object.hasOwn(body, name);
  if (effect === 'create')
    return resource.delete !== undefined && irreversibleChanges(write, body).length === 0;
  if (effect !== 'update') return inverse !== undefined && !(before && isHiddenLink(write, before));
  const isImmutable = ({ responseName }: BodyField) =>
    resource.immutableFields?.includes(responseName) === true && hasTakenEffect(resource, body);
  const filledEntries = before ? fieldsToFill(write, body, before) : [];
  return write.body.some(
    (entry) =>
      isInBody(entry) &&
      !isImmutable(entry) &&
      !filledEntries.includes(entry) &&
      irreversibleChange(write, entry, body[entry.name]) === undefined,
  );
}
