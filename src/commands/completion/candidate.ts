/** What could stand at the cursor, and where it may come from. */
import { joinList, lastItem, opening, splitList } from '../../contract/list-text.ts';

export interface Candidate {
  /** One that ends in `=`, `/`, `,`, `.` or `@` is only the beginning of a word. */
  value: string;
  /** What it is, in a few words. */
  about?: string;
}

/** Nothing is set behind it: the word goes on. The scripts of the shells know the same. */
export function isBeginning(value: string): boolean {
  return /[=/,.@]$/.test(value);
}

/** Answers what could stand there, given what is typed of it; what doesn't begin with that is left out later. */
export type Source = (typed: string) => readonly Candidate[] | Promise<readonly Candidate[]>;

export const none: Source = () => [];

export function wordsSource(words: readonly string[], about?: string): Source {
  return () => words.map((value) => ({ value, ...(about && { about }) }));
}

/** Several with commas: the last is completed, and those before it are not offered again. */
export function listOf(source: Source): Source {
  return async (typed) => {
    const begun = lastItem(typed);
    const head = typed.slice(0, typed.length - begun.length);
    const before = new Set(splitList(head));
    const [quote, sign = ''] = opening.exec(begun) ?? [];
    const found = await source(quote ? sign + begun.slice(sign.length + 1).replaceAll('""', '"') : begun);
    const others = found.filter(({ value }) => !before.has(value));
    return behind(
      head,
      others.map((candidate) => ({ ...candidate, value: inList(candidate.value, quote ? sign : undefined) })),
    );
  };
}

/** A value as it is typed in a list, behind the quote that has begun it, where one has. */
function inList(value: string, sign: string | undefined): string {
  const [, name = '', equals = ''] = /^(.*?)(=?)$/s.exec(value) ?? [];
  const typed =
    sign === undefined ? joinList([name]) : `${sign}"${name.slice(sign.length).replaceAll('"', '""')}"`;
  return typed + equals;
}

/** Candidates for a part of a word, as candidates for the whole word. */
export function behind(head: string, candidates: readonly Candidate[]): Candidate[] {
  return candidates.map((candidate) => ({ ...candidate, value: head + candidate.value }));
}
