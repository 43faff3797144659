/** Recognizes flags among the words of a command line. */

/**
 * Returns whether a word is a flag. A single dash, a negative number, and a query that starts with a comment (`-- how
 * many`) are not.
 */
export function isFlag(word: string): boolean {
  return word.length > 1 && word.startsWith('-') && !isNumber.test(word) && !/^--\s/.test(word);
}

const isNumber = /^-(\d+|\d*\.\d+)([eE][+-]?\d+)?$/;
