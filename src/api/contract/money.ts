/** Recognizes fields that are amounts of money. */
import type { Field } from './field.ts';

/** Returns whether the field is an amount of money: its unit starts with "currency". */
export function isMoney({ traits: { unit = '' } }: Field): boolean {
  return unit.split(' ')[0] === 'currency';
}
