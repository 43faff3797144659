/** Suggests the most similar allowed word, as in "Did you mean". */
import { distance } from 'fastest-levenshtein';

/** Returns the most similar allowed word; undefined if none is similar enough. */
export function nearestWord(word: string, allowed: readonly string[]): string | undefined {
  const best = mostSimilarWord(word, allowed);
  const limit = Math.max(2, Math.floor(word.length / 3));
  if (best !== undefined && editsBetween(word, best) <= limit) return best;
  return allowed.find((candidate) => word.length > 2 && candidate.startsWith(word));
}

/** Returns the most similar word, even if it isn't similar; undefined without words. */
export function mostSimilarWord(word: string, words: readonly string[]): string | undefined {
  const ranked = words.map((candidate) => ({ candidate, edits: editsBetween(word, candidate) }));
  return ranked.sort((a, b) => a.edits - b.edits)[0]?.candidate;
}

function editsBetween(a: string, b: string): number {
  return distance(a.toLowerCase(), b.toLowerCase());
}

/** Returns the allowed word that differs in at most two letters, for words that may be correct. */
export function likelyTypo(word: string, allowed: readonly string[]): string | undefined {
  return word.length > 2 ? allowed.find((candidate) => distance(word, candidate) <= 2) : undefined;
}

/** Returns ` Did you mean "x"?`, or an empty string. */
export function didYouMean(word: string, allowed: readonly string[]): string {
  const suggestion = nearestWord(word, allowed);
  return suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
}

/** Returns `; did you mean "x"?`, which ends a sentence, or an empty string. */
export function orDidYouMean(word: string, allowed: readonly string[]): string {
  const suggestion = nearestWord(word, allowed);
  return suggestion === undefined ? '' : `; did you mean "${suggestion}"?`;
}
