/** What each shell asks and how it wants to be answered. */
import { cleanLine } from '../../terminal/clean.ts';
import { bashQuoted, readBashLine } from './bash-line.ts';
import { type Candidate, isBeginning } from './candidate.ts';

export const shellNames = ['bash', 'zsh', 'fish', 'powershell'] as const;

export type ShellName = (typeof shellNames)[number];

export interface CursorLine {
  /** The words of the line before the one at the cursor, the name of the program left out. */
  before: readonly string[];
  /** What is typed of the word at the cursor. */
  current: string;
  /** The candidates as the shell's script reads them. */
  answer(candidates: readonly Candidate[]): string;
}

/** The arguments that the script of a shell passes on: see `scripts.ts`. */
export function readAsked(shell: string, args: readonly string[]): CursorLine {
  return shell === 'bash' ? askedByBash(args) : askedInWords(args);
}

/** `=CURRENT` and then the words before it: with a mark in front it is never empty, which PowerShell would drop. */
function askedInWords([current = '', ...before]: readonly string[]): CursorLine {
  const typed = current.slice(1);
  return {
    before,
    current: typed,
    answer: (candidates) =>
      fitting(candidates, typed)
        .map(({ value, about = '' }) => `${value}\t${about}\n`)
        .join(''),
  };
}

/** The line, the characters that break words, and what Tab was pressed for (COMP_TYPE). */
function askedByBash([line = '', breaks = '', type = '']: readonly string[]): CursorLine {
  const { before, current, kept, quote } = readBashLine(line, breaks);
  return {
    before,
    current,
    answer: (candidates) => {
      const found = fitting(candidates, current);
      const isList = listing.has(type) && found.length > 1;
      return found
        .map(({ value, about }) => {
          const text = bashQuoted(value.slice(kept.length), quote);
          return isList && about ? `${text}  (${about})\n` : `${text}\n`;
        })
        .join('');
    },
  };
}

/** "?", "!" and "@": bash only shows the candidates, so that there may be more on a line than belongs on the command line. */
const listing = new Set(['63', '33', '64']);

const longestAbout = 60;

/**
 * Those that begin with what is typed, and say more of what is only the beginning of a word. What a terminal can't show as
 * it is can't be typed either: it is left out.
 */
function fitting(candidates: readonly Candidate[], typed: string): Candidate[] {
  const unique = new Map(candidates.map((candidate) => [candidate.value, candidate]));
  return [...unique.values()]
    .filter(({ value }) => value.startsWith(typed) && cleanLine(value) === value)
    .filter(({ value }) => value !== typed || !isBeginning(value))
    .map((candidate) => ({ ...candidate, about: shortened(cleanLine(candidate.about ?? '')) }));
}

function shortened(text: string): string {
  return text.length <= longestAbout ? text : `${text.slice(0, longestAbout - 1).trimEnd()}…`;
}
