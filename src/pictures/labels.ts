/** Labels records in pictures and in their descriptions, by a shortened name or a letter. */

/** The maximum length of a name in characters. A picture may repeat a name many times. */
const maxNameCharacters = 60;

/** Returns the name, cut to 60 characters with an ellipsis. */
export function shortenName(name: string): string {
  if (name.length <= maxNameCharacters) return name;
  // Twice as many code units, because a character may take two.
  const characters = [...name.slice(0, 2 * maxNameCharacters + 1)];
  return characters.length <= maxNameCharacters
    ? name
    : `${characters.slice(0, maxNameCharacters - 1).join('')}…`;
}

/** The labels in drawings without space for names. */
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Returns the label for an index: A to Z, then A1, B1 and so on. */
export function letterLabel(index: number): string {
  const round = Math.floor(index / letters.length);
  return `${letters[index % letters.length]}${round === 0 ? '' : round}`;
}
