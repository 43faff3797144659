/** What becomes of a field that a person leaves without an answer. */
import type { BodyField, Operation } from '../../contract/operation.ts';
import type { Answer } from './answer.ts';

export function canBeLeftOut({ mustBeGiven, field }: BodyField, { effect }: Operation): boolean {
  return effect === 'update' ? field.traits.nullable === true : !mustBeGiven;
}

/** An update that empties a field says so; a new record goes without it. */
export function nothing({ field }: BodyField, { effect }: Operation): Answer | undefined {
  return effect === 'update' ? { value: field.kind === 'many' ? [] : null, shown: 'nothing' } : undefined;
}
