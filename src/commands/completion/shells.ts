/** Parses the arguments from each shell's completion script, and formats the candidates for it. */
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
  formatCandidates(candidates: readonly Candidate[]): string;
}

/** Parses the arguments from the completion script of a shell: see `scripts.ts`. */
export function readCursorLine(shell: string, args: readonly string[]): CursorLine {
  return shell === 'bash' ? parseBashArguments(args) : parseWords(args);
}

/** Parses `=CURRENT` and the words before it. The `=` is there because PowerShell drops empty arguments. */
function parseWords([current = '', ...before]: readonly string[]): CursorLine {
  const typed = current.slice(1);
  return {
    before,
    current: typed,
    formatCandidates: (candidates) =>
      matchingCandidates(candidates, typed)
        .map(({ value, about = '' }) => `${value}\t${about}\n`)
        .join(''),
  };
}

/** Parses the command line, the characters that break words (COMP_WORDBREAKS), and the type of completion (COMP_TYPE). */
function parseBashArguments([
  line = '',
  wordBreaks = '',
  completionType = '',
]: readonly string[]): CursorLine {
  const { before, current, keptPart, quote } = readBashLine(line, wordBreaks);
  return {
    before,
    current,
    formatCandidates: (candidates) => {
      const matches = matchingCandidates(candidates, current);
      const isList = listTypes.has(completionType) && matches.length > 1;
      return matches
        .map(({ value, about }) => {
          const text = quoteForBash(value.slice(keptPart.length), quote);
          return isList && about ? `${text}  (${about})\n` : `${text}\n`;
        })
        .join('');
    },
  };
}

/** The character codes of "?", "!" and "@": bash then only lists the candidates, so they can have descriptions. */
const listTypes = new Set(['63', '33', '64']);

const maxAboutLength = 60;

/**
 * Returns the candidates that start with the typed text, without an incomplete candidate that is already typed. Candidates
 * with control characters are removed, because they can't be typed.
 */
function matchingCandidates(candidates: readonly Candidate[], typed: string): Candidate[] {
  const unique = new Map(candidates.map((candidate) => [candidate.value, candidate]));
  return [...unique.values()]
    .filter(({ value }) => value.startsWith(typed) && cleanLine(value) === value)
    .filter(({ value }) => value !== typed || !isIncomplete(value))
    .map((candidate) => ({ ...candidate, about: truncate(cleanLine(candidate.about ?? '')) }));
}

function truncate(text: string): string {
  return text.length <= maxAboutLength ? text : `${text.slice(0, maxAboutLength - 1).trimEnd()}…`;
}

interface BashLine {
  /** The words before the cursor, without quotes and without the name of the program. */
  before: string[];
  /** The typed part of the word at the cursor, without quotes. */
  current: string;
  /** The part of `current` that readline doesn't replace: the part up to the last word break. */
  keptPart: string;
  /** The open quote at the cursor. */
  quote: '"' | "'" | '';
}

/** Splits a command line as bash does. `breaks` are the characters that start a new word (COMP_WORDBREAKS). */
export function readBashLine(line: string, wordBreaks: string): BashLine {
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
      // For readline an open quote starts a word, and a closed quote is part of its word.
      if (isOpening) keptBefore = word.keptLength;
      word.keptLength = isOpening ? word.text.length : keptBefore;
    } else if (character === '\\' && quote !== "'" && at + 1 < line.length) {
      word.text += escapedCharacter(line[++at] ?? '', quote);
    } else {
      const isBreak = quote === '' && wordBreaks.includes(character);
      if (isBreak) word.keptLength = word.text.length + (leadingBreaks.includes(character) ? 0 : 1);
      word.text += character;
    }
  }
  const { text, keptLength } = word ?? { text: '', keptLength: 0 };
  return { before: words.slice(1), current: text, keptPart: text.slice(0, keptLength), quote };
}

/** Word breaks that are the first character of the next word (rl_special_prefixes). */
const leadingBreaks = '$@';

/** Returns an escaped character. In double quotes a backslash is literal, except before special characters. */
function escapedCharacter(character: string, quote: BashLine['quote']): string {
  return quote === '' || '"\\$`'.includes(character) ? character : `\\${character}`;
}

/** Quotes a text for bash inside an open quote. Readline adds the closing quote. */
export function quoteForBash(text: string, quote: BashLine['quote']): string {
  if (quote === '"') return text.replaceAll(/["\\$`]/g, '\\$&');
  if (quote === "'") return text.replaceAll("'", String.raw`'\''`);
  return text.replaceAll(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
}
