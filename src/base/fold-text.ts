/** Normalizes text for search: it ignores case, diacritics and variants of Arabic letters. */

/** Arabic letters that are often interchanged, and letters of Persian keyboards, with the letter that replaces them. */
const equivalentLetters: Readonly<Record<string, string>> = {
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ة: 'ه',
  ک: 'ك',
};

const asciiPattern = /^[\x20-\x7e]*$/;

/** Folds text for a comparison: `أحمد` and `احمد`, `Café` and `cafe`, `٥` and `5` become equal. */
export function foldText(text: string): string {
  if (asciiPattern.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\u0640]/gu, '')
    .toLowerCase()
    .replaceAll(/[ٱىیةک]/g, (letter) => equivalentLetters[letter] ?? letter)
    .replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf));
}

/** Splits text at spaces and commas, and returns the folded words. */
export function foldWords(text: string): string[] {
  return foldText(text)
    .split(/[\s,]+/)
    .filter((word) => word !== '');
}

/** Returns whether folded text contains all words, in any order. */
export function containsWords(folded: string, words: readonly string[]): boolean {
  return words.every((word) => folded.includes(word));
}
