/** What of a line is a flag: for whoever reads one, and for whoever writes one to be read again. */

/** Whether a word stands where flags do. A dash alone is a word like any other, and so is a negative number. */
export function isFlag(word: string): boolean {
  return word.length > 1 && word.startsWith('-') && !/^-(\d+|\d*\.\d+)([eE][+-]?\d+)?$/.test(word);
}
