/** What could stand at the cursor, and where it may come from. */

export interface Candidate {
  /** One that ends in `=`, `/`, `,`, `.` or `@` is only the beginning of a word. */
  value: string;
  /** What it is, in a few words. */
  about?: string;
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
    const head = typed.slice(0, typed.lastIndexOf(',') + 1);
    const before = new Set(head.split(','));
    const found = await source(typed.slice(head.length));
    return behind(
      head,
      found.filter(({ value }) => !before.has(value) && !value.includes(',')),
    );
  };
}

/** Candidates for a part of a word, as candidates for the whole word. */
export function behind(head: string, candidates: readonly Candidate[]): Candidate[] {
  return candidates.map((candidate) => ({ ...candidate, value: head + candidate.value }));
}
