/** Distinguishes flags from the other words of a command line. */

/**
 * Returns whether a word is a flag. A single dash, a negative number, and a query that starts with a comment (`-- how
 * many`) aren't flags.
 */
export function isFlag(word: string): boolean {
  return word.length > 1 && word.startsWith('-') && !negativeNumberPattern.test(word) && !/^--\s/.test(word);
}

const negativeNumberPattern = /^-(\d+|\d*\.\d+)([eE][+-]?\d+)?$/;
