/** What each shell asks and how it wants to be answered. */
import { cleanLine } from '../../terminal/clean.ts';
import { type Candidate, isBeginning } from './candidate.ts';

export const shellNames = ['bash', 'zsh', 'fish', 'powershell'] as const;

export type ShellName = (typeof shellNames)[number];

interface CursorLine {
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

interface BashLine {
  /** The words before the one at the cursor, without quotes; the name of the program is left out. */
  before: string[];
  /** What is typed of the word at the cursor, without quotes. */
  current: string;
  /** As much of `current` as readline leaves in place: it replaces only what follows the last break. */
  kept: string;
  /** The quote that is open at the cursor. */
  quote: '"' | "'" | '';
}

/** `breaks` are the characters at which readline begins a new word (COMP_WORDBREAKS). */
export function readBashLine(line: string, breaks: string): BashLine {
  const words: string[] = [];
  let word: { text: string; keptLength: number } | undefined;
  let quote: BashLine['quote'] = '';
  let keptBefore = 0;
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? '';
    if (quote === '' && /\s/.test(character)) {
      if (word) words.push(word.text);
      word = undefined;
      continue;
    }
    word ??= { text: '', keptLength: 0 };
    if (quote === '' ? character === '"' || character === "'" : character === quote) {
      const isOpening: boolean = quote === '';
      quote = isOpening ? (character as '"' | "'") : '';
      // Behind an open quote a word begins for it; one that is closed belongs to the word that it stands in.
      if (isOpening) keptBefore = word.keptLength;
      word.keptLength = isOpening ? word.text.length : keptBefore;
    } else if (character === '\\' && quote !== "'" && at + 1 < line.length) {
      word.text += escaped(line[++at] ?? '', quote);
    } else {
      const isBreak = quote === '' && breaks.includes(character);
      if (isBreak) word.keptLength = word.text.length + (leading.includes(character) ? 0 : 1);
      word.text += character;
    }
  }
  const { text, keptLength } = word ?? { text: '', keptLength: 0 };
  return { before: words.slice(1), current: text, kept: text.slice(0, keptLength), quote };
}

/** Breaks that belong to the word they begin (rl_special_prefixes). */
const leading = '$@';

/** Within double quotes a backslash stands for itself, but before the few characters that mean something there. */
function escaped(character: string, quote: BashLine['quote']): string {
  return quote === '' || '"\\$`'.includes(character) ? character : `\\${character}`;
}

/** A text as bash reads it where this quote is open; readline adds the closing one. */
export function bashQuoted(text: string, quote: BashLine['quote']): string {
  if (quote === '"') return text.replaceAll(/["\\$`]/g, '\\$&');
  if (quote === "'") return text.replaceAll("'", String.raw`'\''`);
  return text.replaceAll(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
}
