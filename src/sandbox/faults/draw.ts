/** Chance that can be repeated: a number that looks random and depends on nothing but the words it is made from. */
import { createHash } from 'node:crypto';

/** From 0 (inclusive) to 1 (exclusive). */
export function draw(...words: readonly (string | number)[]): number {
  const bytes = createHash('sha256').update(words.join(' ')).digest();
  return bytes.readUIntBE(0, 6) / 2 ** 48;
}
