/** What stands for a record in pictures and the sentences about them: its name, cut to a length, or a letter. */

/** In characters; pictures say a name once for each thing that it meets. */
const longest = 60;

/** Returns the name, cut to 60 characters: the sentence is about something else. */
export function shortName(name: string): string {
  if (name.length <= longest) return name;
  // Twice as many, as a character may take two of what a text is counted in.
  const characters = [...name.slice(0, 2 * longest + 1)];
  return characters.length <= longest ? name : `${characters.slice(0, longest - 1).join('')}…`;
}

/** What stands for a thing in a drawing that has no room for its name. */
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** A to Z, then A1, B1 and so on. */
export function letterFor(index: number): string {
  const round = Math.floor(index / letters.length);
  return `${letters[index % letters.length]}${round === 0 ? '' : round}`;
}
