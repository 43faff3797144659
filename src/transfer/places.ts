/** The places of a plan’s rows: what others point at goes before them, whenever it was added. */

/** More than any account holds of one kind. */
const room = 1_000_000_000;

/** Records of one kind, by its place in the order of dependencies. */
export function placeOfRecord(order: number, count: number): number {
  return order * room + count + 1;
}

/** What can be written only once all records of the kind are there. */
export function placeOfLater(order: number, count: number): number {
  return order * room + room / 2 + count + 1;
}

/** Behind all else, what points at others first. */
export function placeOfEnd(order: number, kinds: number, count: number): number {
  return (2 * kinds - order) * room + count + 1;
}
