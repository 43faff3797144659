/** Provides a matcher for hints in expected values. */
import { formatHint, type Hint } from '../../src/base/hint.ts';

/** Returns a matcher for a hint whose text contains the words or matches the pattern: `{ hint: hintContaining('boh runs list') }`. */
export function hintContaining(words: string | RegExp): { asymmetricMatch(hint: Hint): boolean } {
  const pattern = typeof words === 'string' ? new RegExp(RegExp.escape(words)) : words;
  return { asymmetricMatch: (hint) => pattern.test(formatHint(hint)) };
}
