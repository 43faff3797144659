/** Parses the arguments from each shell's completion script, and formats the candidates for it. */
import { cleanLine } from '../../terminal/clean.ts';
import { type Candidate, isIncomplete } from './candidate.ts';

/** The shells with a completion script. */
export const shellNames = ['bash', 'zsh', 'fish', 'powershell'] as const;

export type ShellName = (typeof shellNames)[number];

interface CursorLine {
  /** The words before the cursor, without the name of the program. */
  before: readonly string[];
  /** The part of the word before the cursor. */
  current: string;
  /** Formats the candidates for the shell's script. */
  formatCandidates(candidates: readonly Candidate[]): string;
}

/** Parses the arguments from the completion script of a shell: see `scripts.ts`. */
export function parseCursorLine(shell: string, args: readonly string[]): CursorLine {
  return shell === 'bash' ? parseBashArguments(args) : parseWords(args);
}

/** Parses `=CURRENT` and the words before it. The `=` is there because PowerShell drops empty arguments. */
function parseWords([current = '', ...before]: readonly string[]): CursorLine {
  const text = current.slice(1);
  return {
    before,
    current: text,
    formatCandidates: (candidates) =>
      matchingCandidates(candidates, text)
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
  const { before, current, unreplacedPart, quote } = parseBashLine(line, wordBreaks);
  return {
    before,
    current,
    formatCandidates: (candidates) => {
      const matches = matchingCandidates(candidates, current);
      const isList = listTypes.has(completionType) && matches.length > 1;
      return matches
        .map(({ value, about }) => {
          const text = quoteForBash(value.slice(unreplacedPart.length), quote);
          return isList && about ? `${text}  (${about})\n` : `${text}\n`;
        })
        .join('');
    },
  };
}

/** The character codes of "?", "!" and "@": bash then only lists the candidates, so they can have descriptions. */
const listTypes = new Set(['63', '33', '64']);

const maxAboutCharacters = 60;

/**
 * Returns the candidates that start with the text, without an incomplete candidate that equals the text. Candidates with
 * control characters are removed, because they can't be typed.
 */
function matchingCandidates(candidates: readonly Candidate[], text: string): Candidate[] {
  const uniqueCandidates = new Map(candidates.map((candidate) => [candidate.value, candidate]));
  return [...uniqueCandidates.values()]
    .filter(({ value }) => value.startsWith(text) && cleanLine(value) === value)
    .filter(({ value }) => value !== text || !isIncomplete(value))
    .map((candidate) => ({ ...candidate, about: truncate(cleanLine(candidate.about ?? '')) }));
}

function truncate(text: string): string {
  return text.length <= maxAboutCharacters ? text : `${text.slice(0, maxAboutCharacters - 1).trimEnd()}…`;
}

interface BashLine {
  /** The words before the cursor, without quotes and without the name of the program. */
  before: string[];
  /** The part of the word before the cursor, without quotes. */
  current: string;
  /** The part of `current` that readline doesn't replace: the part up to the last word break. */
  unreplacedPart: string;
  /** The open quote at the cursor. */
  quote: '"' | "'" | '';
}

/** Splits a command line as bash does. `wordBreaks` are the characters that start a new word (COMP_WORDBREAKS). */
export function parseBashLine(line: string, wordBreaks: string): BashLine {
  const words: string[] = [];
  let word: { text: string; unreplacedLength: number } | undefined;
  let quote: BashLine['quote'] = '';
  let previousUnreplacedLength = 0;
  for (let index = 0; index < line.length; index++) {
    const character = line[index] ?? '';
    if (quote === '' && /\s/.test(character)) {
      if (word) words.push(word.text);
      word = undefined;
      continue;
    }
    word ??= { text: '', unreplacedLength: 0 };
    if (quote === '' ? character === '"' || character === "'" : character === quote) {
      const isOpening: boolean = quote === '';
      quote = isOpening ? (character as '"' | "'") : '';
      // For readline an open quote starts a word, and a closed quote is part of its word.
      if (isOpening) previousUnreplacedLength = word.unreplacedLength;
      word.unreplacedLength = isOpening ? word.text.length : previousUnreplacedLength;
    } else if (character === '\\' && quote !== "'" && index + 1 < line.length) {
      word.text += escapedCharacter(line[++index] ?? '', quote);
    } else {
      const isBreak = quote === '' && wordBreaks.includes(character);
      if (isBreak) word.unreplacedLength = word.text.length + (leadingBreaks.includes(character) ? 0 : 1);
      word.text += character;
    }
  }
  const { text, unreplacedLength } = word ?? { text: '', unreplacedLength: 0 };
  return { before: words.slice(1), current: text, unreplacedPart: text.slice(0, unreplacedLength), quote };
}

/** Word breaks that are the first character of the next word (rl_special_prefixes). */
const leadingBreaks = '$@';

/** Returns an escaped character. In double quotes a backslash is literal, except before special characters. */
function escapedCharacter(character: string, quote: BashLine['quote']): string {
  return quote === '' || '"\\$`'.includes(character) ? character : `\\${character}`;
}

/** Quotes text for bash inside an open quote. Readline adds the closing quote. */
export function quoteForBash(text: string, quote: BashLine['quote']): string {
  if (quote === '"') return text.replaceAll(/["\\$`]/g, '\\$&');
  if (quote === "'") return text.replaceAll("'", String.raw`'\''`);
  return text.replaceAll(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
}
