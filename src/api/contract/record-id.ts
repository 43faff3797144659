/** Checks the IDs in paths: an ID must not lead to another record. */

const maxIdCharacters = 1024;

/**
 * Matches text that could lead to another path, even if it is encoded: proxies may decode and normalize a path before they
 * pass it on. Separators, percent-encoded characters, `.` and `..`, spaces, control characters, single surrogates.
 */
const otherPathPattern = /[/\\?#\s\p{Cc}\p{Cf}\p{Cs}]|%[\da-f]{2}|^\.\.?(;|$)/iu;

/** Returns why text can't be an ID in a path, as a sentence; undefined if it can. */
export function recordIdProblem(id: string): string | undefined {
  if (id === '') return 'An ID is empty.';
  if (id.length > maxIdCharacters) return `An ID is longer than ${maxIdCharacters} characters.`;
  return otherPathPattern.test(id) ? `${JSON.stringify(id)} isn't a valid ID.` : undefined;
}
