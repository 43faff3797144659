/** Formats words for messages and the command line: articles, capitals, and words of enumerations. */

/** Returns a noun with its indefinite article: "an inventory item", "a user". */
export function withArticle(noun: string): string {
  // "u" isn't included because of "a user".
  return `${/^[aeio]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** Returns the text with a capital first letter, for the start of a sentence. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a word of an enumeration in the form for the command line, which needs no quotes: `price-reduction` for "price reduction". */
export function inputWord(word: string): string {
  return word.replaceAll(' ', '-');
}
