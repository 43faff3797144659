/** What stands for a thing in a drawing that has no room for its name. */

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** A to Z, then A1, B1 and so on. */
export function letterFor(index: number): string {
  const round = Math.floor(index / letters.length);
  return `${letters[index % letters.length]}${round === 0 ? '' : round}`;
}
