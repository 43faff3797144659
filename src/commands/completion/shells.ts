/** Reads the request of each shell's script, and formats the candidates for it. */
import { cleanLine } from '../../terminal/clean.ts';
import { type Candidate, isIncomplete } from './candidate.ts';

/** The shells with a completion script. */
export const shellNames = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** The name of a shell. */
export type ShellName = (typeof shellNames)[number];

interface CursorLine {
  /** The words before the cursor, without the name of the program. */
  before: readonly string[];
  /** The typed part of the word at the cursor. */
  current: string;
  /** Formats the candidates for the shell's script. */
  answer(candidates: readonly Candidate[]): string;
}

/** Reads the arguments that the script of a shell passes: see `index.ts`. */
export function readCursorLine(shell: string, args: readonly string[]): CursorLine {
  return shell === 'bash' ? lineFromBash(args) : lineFromWords(args);
}

/** Reads `=CURRENT` and the words before it. The `=` keeps it from being empty: PowerShell drops empty arguments. */
function lineFromWords([current = '', ...before]: readonly string[]): CursorLine {
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

/** Reads the command line, the characters that break words, and the kind of completion (COMP_TYPE). */
function lineFromBash([line = '', breaks = '', type = '']: readonly string[]): CursorLine {
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

/** "?", "!" and "@" as codes: bash only lists the candidates and inserts nothing, so they can have descriptions. */
const listing = new Set(['63', '33', '64']);

const maxAboutLength = 60;

/**
 * Returns the candidates that start with the typed text, except an incomplete one that is already typed. Candidates with
 * control characters are removed: they can't be typed.
 */
function fitting(candidates: readonly Candidate[], typed: string): Candidate[] {
  const unique = new Map(candidates.map((candidate) => [candidate.value, candidate]));
  return [...unique.values()]
    .filter(({ value }) => value.startsWith(typed) && cleanLine(value) === value)
    .filter(({ value }) => value !== typed || !isIncomplete(value))
    .map((candidate) => ({ ...candidate, about: shortened(cleanLine(candidate.about ?? '')) }));
}

function shortened(text: string): string {
  return text.length <= maxAboutLength ? text : `${text.slice(0, maxAboutLength - 1).trimEnd()}…`;
}

interface BashLine {
  /** The words before the cursor, without quotes and without the name of the program. */
  before: string[];
  /** The typed part of the word at the cursor, without quotes. */
  current: string;
  /** The part of `current` that readline keeps: it replaces only what follows the last break. */
  kept: string;
  /** The open quote at the cursor. */
  quote: '"' | "'" | '';
}

/** Splits a command line as bash does. `breaks` are the characters that start a new word (COMP_WORDBREAKS). */
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
      // For readline an open quote starts a word; a closed one is part of its word.
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

/** Breaks that are part of the word they start (rl_special_prefixes). */
const leading = '$@';

/** Returns an escaped character. In double quotes a backslash is literal, except before special characters. */
function escaped(character: string, quote: BashLine['quote']): string {
  return quote === '' || '"\\$`'.includes(character) ? character : `\\${character}`;
}

/** Quotes a text for bash inside an open quote; readline adds the closing one. */
export function bashQuoted(text: string, quote: BashLine['quote']): string {
  if (quote === '"') return text.replaceAll(/["\\$`]/g, '\\$&');
  if (quote === "'") return text.replaceAll("'", String.raw`'\''`);
  return text.replaceAll(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
}
