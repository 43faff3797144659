/** Normalizes text for search: it ignores case, diacritics and variants of Arabic letters. */

/** Arabic letters that are often interchanged in typing, and letters of Persian keyboards. */
const sameLetters: Readonly<Record<string, string>> = {
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ة: 'ه',
  ک: 'ك',
};

const ascii = /^[\x20-\x7e]*$/;

/** Returns the text in the form that searches compare: `أحمد` and `احمد`, `Café` and `cafe`, `٥` and `5` become the same. */
export function foldText(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\u0640]/gu, '')
    .toLowerCase()
    .replaceAll(/[ٱىیةک]/g, (letter) => sameLetters[letter] ?? letter)
    .replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf));
}

/** Returns the folded words of a typed text, separated by blanks or commas. */
export function foldWords(typed: string): string[] {
  return foldText(typed)
    .split(/[\s,]+/)
    .filter((word) => word !== '');
}

/** Returns whether a folded text contains all words, in any order. */
export function containsWords(folded: string, words: readonly string[]): boolean {
  return words.every((word) => folded.includes(word));
}
