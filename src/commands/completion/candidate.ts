/** Candidates for completion, and their sources. */
import { joinList, lastItem, openingQuotePattern, splitList } from '../../contract/comma-list.ts';

/** A word that the shell can insert at the cursor. */
export interface Candidate {
  /** The word. It is incomplete if it ends in `=`, `/`, `,`, `.` or `@`. */
  value: string;
  /** A short description. */
  about?: string;
}

/** Returns whether a candidate is incomplete, so that no space follows it. The completion scripts use the same rule. */
export function isIncomplete(value: string): boolean {
  return /[=/,.@]$/.test(value);
}

/** Returns candidates for the typed part of a word. Candidates that don't start with it are removed later. */
export type CandidateSource = (typed: string) => readonly Candidate[] | Promise<readonly Candidate[]>;

/** A source without candidates. */
export const noCandidates: CandidateSource = () => [];

/** Returns a source of fixed words. */
export function wordsSource(words: readonly string[], about?: string): CandidateSource {
  return () => words.map((value) => ({ value, ...(about && { about }) }));
}

/** Returns a source for a list with commas. It completes the last item, and doesn't suggest items that the list contains. */
export function listSource(source: CandidateSource): CandidateSource {
  return async (typed) => {
    const item = lastItem(typed);
    const head = typed.slice(0, typed.length - item.length);
    const earlierItems = new Set(splitList(head));
    const [quote, minus = ''] = openingQuotePattern.exec(item) ?? [];
    const candidates = await source(
      quote ? minus + item.slice(minus.length + 1).replaceAll('""', '"') : item,
    );
    const newCandidates = candidates.filter(({ value }) => !earlierItems.has(value));
    return withPrefix(
      head,
      newCandidates.map((candidate) => ({
        ...candidate,
        value: asListItem(candidate.value, quote ? minus : undefined),
      })),
    );
  };
}

/** Returns a value as an item of a list. With `minus` the item is quoted: `minus` is the text before its opening quote. */
function asListItem(value: string, minus: string | undefined): string {
  const [, name = '', equals = ''] = /^(.*?)(=?)$/s.exec(value) ?? [];
  const typed =
    minus === undefined ? joinList([name]) : `${minus}"${name.slice(minus.length).replaceAll('"', '""')}"`;
  return typed + equals;
}

/** Adds the typed start of a word to the candidates for its end. */
export function withPrefix(head: string, candidates: readonly Candidate[]): Candidate[] {
  return candidates.map((candidate) => ({ ...candidate, value: head + candidate.value }));
}
