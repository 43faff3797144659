/**
 * What happens to a list while it is read, as far as its pages show it, and whether a record may have slipped past.
 *
 * Between one page and the next, records slip past where rows move up over the boundary: some before it went, or
 * moved behind it. Then `total` falls, or rows come twice, or a younger row comes that made up for the one that went.
 */
import type { Page } from './answer.ts';
import { type Row, utcText } from './shape.ts';

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

/** How often the place to go on at is looked for where the size of pages jumps about. */
const mostSteps = 3;

export interface ListPlace {
  /** Rows of a page. */
  size(): number;
  /** Takes note of the size of pages as this one shows it. */
  measure(page: Page, before: Page | undefined): void;
  /** The page to read instead, because rows between the pages so far and this one would be left out. */
  missedBefore(page: Page, before: Page | undefined): number | undefined;
  /** Rows of this page that have come before, by its place. */
  overlap(page: Page): number;
  /** Takes note that the rows up to this page have come. */
  cover(page: Page): void;
  /** Pages have become smaller, though nothing says so. */
  shrink(page: Page): void;
  /** The number of the last page whose rows have all come. */
  lastCovered(): number;
  /** The first rows that didn't come, though others followed them, in words. */
  gap(): string | undefined;
}

export function listPlace(): ListPlace {
  /** Rows from the beginning of the list up to here have come. */
  let position = 0;
  let size = 0;
  let step = { position: -1, size: 0, count: 0 };
  let gap: string | undefined;

  const startOf = ({ number }: Page) => (number - 1) * size;

  return {
    size: () => size,
    measure(page, before) {
      size = Math.max(changedSize(page, before) ?? size, page.rows.length);
    },
    missedBefore(page, before) {
      const start = startOf(page);
      const isSized = page.rows.length > 0 || page.perPage !== before?.perPage;
      if (start <= position || !isSized) return undefined;
      if (step.position !== position) step = { position, size: 0, count: 0 };
      if (step.size !== size && step.count < mostSteps) {
        step = { position, size, count: step.count + 1 };
        return Math.floor(position / size) + 1;
      }
      gap ??= `Rows ${position + 1} to ${start} of the list did not come, though others follow them`;
      position = start;
      return undefined;
    },
    overlap: (page) => Math.min(Math.max(position - startOf(page), 0), page.rows.length),
    cover(page) {
      position = Math.max(position, startOf(page) + page.rows.length);
    },
    shrink({ rows }) {
      size = Math.min(size, rows.length);
    },
    lastCovered: () => Math.floor(position / size),
    gap: () => gap,
  };
}

/** A change of `per_page` means something where the rows bear it out. */
function changedSize(page: Page, before: Page | undefined): number | undefined {
  const { number, rows, perPage, lastPage, hasNext } = page;
  const isLast = hasNext !== true && (lastPage ?? 0) <= number;
  const isSound = rows.length === perPage || rows.length === 0 || isLast;
  return before !== undefined && perPage !== before.perPage && isSound ? perPage : undefined;
}

export interface ListArrivals {
  /** A page has come in its order, with the answer’s `date`; an early one may be older than the page before it. */
  answered(number: number, date: string | undefined, isEarly: boolean): void;
  /** What had moved up into it by the time of the next page was given. */
  settled(number: number): void;
  /** A record behind the first page, and whether no reading had it before. */
  see(row: Row, isNew: boolean): void;
  /** Whether a record says that it was made after the first page came. */
  isYounger(row: Row): boolean;
  /** How many of them say that they were made or changed since the first page came. */
  count(): number;
  /** Pages to be read back, the last first, for what may have moved up into them and not come. */
  doubtful(list: ListMoves): number[];
}

export interface ListMoves {
  /** Rows of a page. */
  size: number;
  /** By how many rows the list grew and shrank in all while it was read: whatever slipped past may have moved as far. */
  grown: number;
  shrunk: number;
  /** For so many records it grew that were still to come by then. */
  added: number;
}

/** Most records that were changed meanwhile stand where they stood. They are followed up to so many pages, and a share of those that were read. */
const mostForChanged = { pages: 5, share: 0.02 } as const;

export function listArrivals(): ListArrivals {
  const pages: { at: string; isEarly: boolean; isSettled: boolean }[] = [];
  const made = new Map<string, number>();
  const changed = new Map<string, number>();

  let last: { date?: string | undefined; at?: string | undefined } = {};
  let began: string | undefined;
  /** Most dates are of days before, which is seen at once. */
  let day = '';

  const isSince = (at: unknown): at is string =>
    typeof at === 'string' && at >= day && began !== undefined && utcText(at) >= began;

  /** The pages whose boundary something may have moved over in one of these seconds. */
  const pagesAt = (moments: ReadonlyMap<string, number>, { size, grown, shrunk }: ListMoves): Set<number> => {
    const found = new Set<number>();
    const all = [...moments.keys()];
    if (all.length === 0 || size === 0) return found;
    // Where the clocks differ, it may have been anywhere.
    const latest = pages.reduce((at, page) => (page.at > at ? page.at : at), '');
    const isAnywhere = all.some((at) => at > latest);
    pages.forEach((page, number) => {
      const next = pages[number + 1];
      if (next === undefined || (page.isSettled && !next.isEarly)) return;
      const [from, to] = page.at <= next.at ? [page.at, next.at] : [next.at, page.at];
      if (!isAnywhere && !all.some((at) => at >= from && at <= to)) return;
      const [first, last] = [number * size - 1 - shrunk, number * size - (next.isEarly ? 0 : 1) + grown];
      const end = Math.min(Math.floor(last / size) + 1, pages.length - 1);
      for (let each = Math.max(Math.floor(first / size) + 1, 1); each <= end; each++) found.add(each);
    });
    return found;
  };

  return {
    answered(number, date, isEarly) {
      // Pages of the same second say the same.
      if (date !== last.date) last = { date, at: momentOf(date) };
      const { at } = last;
      if (at === undefined) return;
      pages[number] = { at, isEarly, isSettled: false };
      if (began !== undefined) return;
      began = at;
      day = at.slice(0, '2026-01-31'.length);
    },
    settled(number) {
      const page = pages[number];
      if (page) page.isSettled = true;
    },
    see({ created_at, updated_at }, isNew) {
      if (isNew && isSince(created_at)) note(made, created_at);
      else if (isSince(updated_at)) note(changed, updated_at);
    },
    isYounger: ({ created_at }) => isSince(created_at) && utcText(created_at) > (began ?? ''),
    count: () => countIn(made) + countIn(changed),
    doubtful(list) {
      // Where `total` grew for all that came, nothing went unseen for them.
      if (this.count() <= list.added) return [];
      const found = pagesAt(made, list);
      const most = mostForChanged.pages + Math.floor(pages.length * mostForChanged.share);
      for (const page of [...pagesAt(changed, list)].slice(0, most)) found.add(page);
      return [...found].sort((some, other) => other - some);
    },
  };
}

function note(moments: Map<string, number>, at: string): void {
  moments.set(utcText(at), (moments.get(utcText(at)) ?? 0) + 1);
}

function countIn(moments: Map<string, number>): number {
  let sum = 0;
  for (const count of moments.values()) sum += count;
  return sum;
}

/** HTTP's date in the form of the records' own dates. */
function momentOf(date: string | undefined): string | undefined {
  const moment = Date.parse(date ?? '');
  return Number.isNaN(moment) ? undefined : utcText(new Date(moment).toISOString());
}
