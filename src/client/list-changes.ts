/**
 * What happens to a list while it is read, as far as its pages show it, and whether a record may have slipped past.
 *
 * Between one page and the next, records slip past where rows move up over the boundary: some before it went, or
 * moved behind it. Then `total` falls, or rows come twice, or a younger row comes that made up for the one that went.
 */
import type { Page } from './answer.ts';

/** What the page before holds, read back once this one was there. */
export interface ReadBack {
  /** Records on it, and on those before it, that had not come. */
  found: number;
  /** Those of them that may have come to the list since the reading began. */
  late: number;
  /** It holds what it held. */
  isSame: boolean;
  /** It lacks some of what it held, and what was found stands behind the rest. */
  isMovedUp: boolean;
}

export interface ListChanges {
  /** Told of every answer: `total` may rise and fall between two pages. */
  count(page: Page): void;
  /** Whether the page before has to be read back; `overlap` counts the rows that had to come twice by their place, `excess` all beyond those. */
  mustReadBack(page: Page, before: Page, excess: number, overlap: number): boolean;
  /** Whether records that were added push the rows that came twice on to this page. */
  isPushed(page: Page, before: Page, excess: number): boolean;
  /** Takes note of a page and of what was read back for it. */
  weigh(page: Page, before: Page, excess: number, back: ReadBack): void;
  /** Pages are not what they were, and nothing says why. */
  disturb(): void;
  /** By how many more records have to come than the service counts: those that had come when they went, less those that were added in front of what was read; `late` counts those that may have come to the list meanwhile and were read. */
  surplus(late: number): number;
  /** Whether a record may have slipped past; `young` counts those younger than the reading that have come. */
  isDisturbed(young: number, last: Page | undefined): boolean;
  /** By how many records it grew and shrank in all, and for how many that were still to come by then. */
  moves(): { grown: number; shrunk: number; added: number };
}

export function listChanges(): ListChanges {
  let totalBefore: number | undefined;
  let [grown, shrunk, isDisturbed] = [0, 0, false];
  /** By how much `total` grew, less the rows that came twice for it. */
  let credit = 0;
  /** By how much it grew for records that are still to come. */
  let added = 0;
  let [departed, passed] = [0, 0];

  const isPushed = (page: Page, before: Page, excess: number) =>
    excess <= credit + Math.max(growth(page, before), 0);

  /** Reading back after the last page showed that more came: it may have pushed on what that page lacked. */
  const hasGrownSince = (last: Page | undefined) => (totalBefore ?? 0) > (last?.total ?? Infinity);

  return {
    count({ total }) {
      if (total !== undefined && totalBefore !== undefined) {
        grown += Math.max(total - totalBefore, 0);
        shrunk += Math.max(totalBefore - total, 0);
      }
      totalBefore = total;
    },
    mustReadBack(page, before, excess, overlap) {
      // Where no total tells, every boundary is looked at, unless the pages overlap or both are empty.
      const isUntold = page.total === undefined && overlap === 0 && page.rows.length + before.rows.length > 0;
      return growth(page, before) !== 0 || excess > 0 || isUntold;
    },
    isPushed,
    weigh(page, before, excess, { found, late, isSame, isMovedUp }) {
      const change = growth(page, before);
      const pushed = isPushed(page, before, excess);
      // What is added before a page pushes as much on to it: records that have come, instead of the new ones.
      const inFront = pushed ? Math.max(excess - found, 0) : 0;
      added += Math.max(change, 0) - inFront;
      credit = Math.max(credit + Math.max(change, 0) - excess, 0);
      passed += inFront;
      // As many as moved up over the boundary went before it.
      const movedUp = found - late;
      departed += Math.min(Math.max(-change, 0), movedUp);
      // More came twice than was added, or fewer moved up than went: records have changed places.
      if (!pushed || movedUp < -change) isDisturbed = true;
      if (page.total === undefined && !isSame && !isMovedUp) isDisturbed = true;
    },
    disturb() {
      isDisturbed = true;
    },
    surplus: (late) => departed - Math.min(passed, Math.max(grown - late, 0)),
    isDisturbed: (young, last) =>
      // One that came while another went leaves `total` as it is: its date gives it away.
      isDisturbed ||
      (grown > 0 && shrunk > 0) ||
      (last?.total !== undefined && young > added) ||
      hasGrownSince(last),
    moves: () => ({ grown, shrunk, added }),
  };
}

function growth({ total }: Page, before: Page): number {
  return total === undefined || before.total === undefined ? 0 : total - before.total;
}
