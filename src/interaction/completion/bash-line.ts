/** A command line as bash hands it over, up to the cursor, taken apart into words. Nothing in it is evaluated. */

export interface BashLine {
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
