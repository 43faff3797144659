/** Suggests the most similar allowed word: "Did you mean". */
import { distance } from 'fastest-levenshtein';

/** Returns the most similar allowed word; undefined if none is similar enough. */
export function nearestWord(word: string, allowed: readonly string[]): string | undefined {
  const ranked = allowed
    .map((candidate) => ({ candidate, edits: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  const limit = Math.max(2, Math.floor(word.length / 3));
  if (best && best.edits <= limit) return best.candidate;
  return allowed.find((candidate) => word.length > 2 && candidate.startsWith(word));
}

/** Returns the allowed word within two letters, for words that may be correct. */
export function likelyTypo(word: string, allowed: readonly string[]): string | undefined {
  return word.length > 2 ? allowed.find((candidate) => distance(word, candidate) <= 2) : undefined;
}

/** Returns ` Did you mean "x"?`, or an empty text. */
export function didYouMean(word: string, allowed: readonly string[]): string {
  const found = nearestWord(word, allowed);
  return found === undefined ? '' : ` Did you mean "${found}"?`;
}

/** Returns the suggestion as the end of a sentence: `; did you mean "x"?`. */
export function orDidYouMean(word: string, allowed: readonly string[]): string {
  const found = nearestWord(word, allowed);
  return found === undefined ? '' : `; did you mean "${found}"?`;
}
