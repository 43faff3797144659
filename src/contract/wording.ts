/** Rules for words in messages and on the command line: articles, capitals, and words of enumerations. */

/** Returns a noun with its indefinite article: "an inventory item", "a user". */
export function withArticle(noun: string): string {
  // English says "a user", so "u" is left out.
  return `${/^[aeio]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** Returns the text with a capital first letter, for the start of a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a word of an enumeration as people type it: "price reduction" is `price-reduction`, which needs no quotes. */
export function inputWord(word: string): string {
  return word.replaceAll(' ', '-');
}
