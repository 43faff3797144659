/** What of a line is a flag: for whoever reads one, and for whoever writes one to be read again. */

/**
 * Whether a word stands where flags do. A dash alone is a word like any other, and so are a negative number and a query
 * that begins with a remark, `-- how many`.
 */
export function isFlag(word: string): boolean {
  return word.length > 1 && word.startsWith('-') && !isNumber.test(word) && !/^--\s/.test(word);
}

const isNumber = /^-(\d+|\d*\.\d+)([eE][+-]?\d+)?$/;
