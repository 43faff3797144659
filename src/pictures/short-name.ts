/** What people call a record, in a sentence: cut where nobody would read to its end, as the sentence is about something else. */

/** In characters; pictures say a name once for each thing that it meets. */
const longest = 60;

export function shortName(name: string): string {
  if (name.length <= longest) return name;
  // Twice as many, as a character may take two of what a text is counted in.
  const characters = [...name.slice(0, 2 * longest + 1)];
  return characters.length <= longest ? name : `${characters.slice(0, longest - 1).join('')}…`;
}
