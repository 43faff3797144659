/**
 * Records that may have come to a list while it was read, and where another may have slipped past for it: one that goes
 * as another comes leaves `total` as it is, and moves rows up over the boundary of the two pages that it happens between.
 * The dates of records and of answers tell which pages those are, to the second.
 */
import { type Row, utcText } from './shape.ts';

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
