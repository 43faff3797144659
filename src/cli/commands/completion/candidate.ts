/** Defines candidates for completion and their sources. */
import { joinList, lastItem, openingQuotePattern, splitList } from '../../../api/contract/comma-list.ts';

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

/** A function that returns candidates for the text before the cursor. Candidates that don't start with it are removed later. */
export type CandidateSource = (text: string) => readonly Candidate[] | Promise<readonly Candidate[]>;

export const noCandidates: CandidateSource = () => [];

export function wordsSource(words: readonly string[], about?: string): CandidateSource {
  return () => words.map((value) => ({ value, ...(about && { about }) }));
}

/** Returns a source for a list with commas. It completes the last item, and doesn't suggest items that the list contains. */
export function listSource(source: CandidateSource): CandidateSource {
  return async (text) => {
    const item = lastItem(text);
    const prefix = text.slice(0, text.length - item.length);
    const earlierItems = new Set(splitList(prefix));
    const [quote, minus = ''] = openingQuotePattern.exec(item) ?? [];
    const candidates = await source(
      quote ? minus + item.slice(minus.length + 1).replaceAll('""', '"') : item,
    );
    const newCandidates = candidates.filter(({ value }) => !earlierItems.has(value));
    return addPrefix(
      prefix,
      newCandidates.map((candidate) => ({
        ...candidate,
        value: formatListItem(candidate.value, quote ? minus : undefined),
      })),
    );
  };
}

/** Returns a value as an item of a list. With `minus` the item is quoted: `minus` is the text before its opening quote. */
function formatListItem(value: string, minus: string | undefined): string {
  const [, name = '', equals = ''] = /^(.*?)(=?)$/s.exec(value) ?? [];
  const text =
    minus === undefined ? joinList([name]) : `${minus}"${name.slice(minus.length).replaceAll('"', '""')}"`;
  return text + equals;
}

/** Adds the start of a word to the candidates for its end. */
export function addPrefix(prefix: string, candidates: readonly Candidate[]): Candidate[] {
  return candidates.map((candidate) => ({ ...candidate, value: prefix + candidate.value }));
}
