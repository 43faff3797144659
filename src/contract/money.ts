/** Which numbers are amounts of money. */
import type { Field } from './field.ts';

/** Units of money begin with the word: "currency", "currency for one storage unit". */
export function isMoney({ traits: { unit = '' } }: Field): boolean {
  return unit.split(' ')[0] === 'currency';
}
