/** Candidates for completion, and their sources. */
import { joinList, lastItem, opening, splitList } from '../../contract/list-text.ts';

/** A word that could be at the cursor. */
export interface Candidate {
  /** The word; one that ends in `=`, `/`, `,`, `.` or `@` is incomplete. */
  value: string;
  /** A short description. */
  about?: string;
}

/** Returns whether a candidate is incomplete, so that no space follows it. The scripts of the shells have the same rule. */
export function isIncomplete(value: string): boolean {
  return /[=/,.@]$/.test(value);
}

/** Returns candidates for the typed part of a word. Those that don't start with it are removed later. */
export type Source = (typed: string) => readonly Candidate[] | Promise<readonly Candidate[]>;

/** A source without candidates. */
export const none: Source = () => [];

/** Returns a source of fixed words. */
export function wordsSource(words: readonly string[], about?: string): Source {
  return () => words.map((value) => ({ value, ...(about && { about }) }));
}

/** Returns a source for a list with commas: completes the last item, and doesn't suggest earlier ones again. */
export function listOf(source: Source): Source {
  return async (typed) => {
    const begun = lastItem(typed);
    const head = typed.slice(0, typed.length - begun.length);
    const before = new Set(splitList(head));
    const [quote, sign = ''] = opening.exec(begun) ?? [];
    const found = await source(quote ? sign + begun.slice(sign.length + 1).replaceAll('""', '"') : begun);
    const others = found.filter(({ value }) => !before.has(value));
    return withPrefix(
      head,
      others.map((candidate) => ({ ...candidate, value: inList(candidate.value, quote ? sign : undefined) })),
    );
  };
}

/** Returns a value as it is typed in a list, after the opening quote if there is one. */
function inList(value: string, sign: string | undefined): string {
  const [, name = '', equals = ''] = /^(.*?)(=?)$/s.exec(value) ?? [];
  const typed =
    sign === undefined ? joinList([name]) : `${sign}"${name.slice(sign.length).replaceAll('"', '""')}"`;
  return typed + equals;
}

/** Returns candidates for the end of a word as candidates for the whole word. */
export function withPrefix(head: string, candidates: readonly Candidate[]): Candidate[] {
  return candidates.map((candidate) => ({ ...candidate, value: head + candidate.value }));
}
