/** What of a write can't be taken back again, in sentences: to be said before it is sent. */

import { withArticle } from './article.ts';
import { capital } from './capital.ts';
import type { BodyField, Operation } from './operation.ts';

type Given = Readonly<Record<string, unknown>>;

/** None where all of it can be. */
export function lastingOf(write: Operation, given: Given): string[] {
  const { effect, resource, inverse } = write;
  const { noun, nouns } = resource;
  switch (effect) {
    case 'create':
      return [
        ...(resource.delete ? [] : [`${capital(withArticle(noun))} can’t be deleted again.`]),
        ...(resource.announced
          ? [`Users who have asked to be told of new ${nouns} are told, which can’t be undone.`]
          : []),
      ];
    case 'update':
      return write.body
        .filter(({ name }) => Object.hasOwn(given, name))
        .flatMap((entry) => lastingField(write, entry, given[entry.name]) ?? []);
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

/** Fields of an update that may not go back: with any value, or with some. */
export function lastingFields({ effect, resource, body }: Operation): BodyField[] {
  if (effect !== 'update') return [];
  return body.filter(({ shown, field }) => field.isHidden || resource.settled?.[shown]);
}

/** Why a change of a field to this value can't be taken back; undefined where it can. */
export function lastingField(
  { resource }: Pick<Operation, 'resource'>,
  { shown, field }: BodyField,
  value: unknown,
): string | undefined {
  const { label = shown.replaceAll('_', ' ') } = field.traits;
  if (field.isHidden)
    return `The ${label} that was there is kept nowhere, so that the change can’t be undone.`;
  const isSettled = resource.settled?.[shown]?.includes(Number(value));
  if (isSettled)
    return `With this ${label} the ${resource.noun} takes effect, so that the change can’t be undone.`;
  return undefined;
}

/** Whether anything of it can be taken back, where what was there before is known. */
export function canBeUndone(write: Operation, given: Given): boolean {
  const { effect, resource, inverse } = write;
  if (effect === 'create') return resource.delete !== undefined;
  if (effect !== 'update') return inverse !== undefined;
  return write.body.some(
    (entry) =>
      Object.hasOwn(given, entry.name) && lastingField(write, entry, given[entry.name]) === undefined,
  );
}
