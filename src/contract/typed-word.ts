/** The words of enumerations in the one spelling in which people type them. */

/** "price reduction" is typed `price-reduction`: a blank would need quotes. */
export function typedWord(word: string): string {
  return word.replaceAll(' ', '-');
}
