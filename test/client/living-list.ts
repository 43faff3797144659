/** A list that changes while it is read: what a service would answer, and what happens between one request and the next. */
import { readPages } from '../../src/client/read-pages.ts';
import type { Row } from '../../src/client/shape.ts';

export type Body = Record<string, unknown>;

/** What stands around the rows: the document promises `data` and no more. */
export type Envelope = 'totals' | 'strings' | 'last page' | 'next' | 'bare';

/** One thing that happens to the list; places are between 0 (its beginning) and 1 (its end). */
export type Change =
  | { kind: 'insert'; at: number }
  | { kind: 'delete'; at: number }
  | { kind: 'move'; from: number; at: number };

export class LivingList {
  rows: Row[];
  perPage: number;
  readonly #envelope: Envelope;
  #next: number;
  /** Seconds since the list was first asked for. */
  #now = 0;

  constructor(count: number, { perPage = 50, envelope = 'totals' as Envelope } = {}) {
    this.rows = Array.from({ length: count }, (_, index) => rowOf(index + 1, '2026-01-01 00:00:00'));
    this.perPage = perPage;
    this.#envelope = envelope;
    this.#next = count + 1;
  }

  get ids(): string[] {
    return this.rows.map(({ id }) => String(id));
  }

  change(change: Change): void {
    const { rows } = this;
    const position = (at: number, length = rows.length) => Math.min(Math.floor(at * length), length - 1);
    if (change.kind === 'insert') {
      rows.splice(Math.round(change.at * rows.length), 0, rowOf(this.#next++, dateAt(this.#now)));
    } else if (rows.length > 0) {
      const [row] = rows.splice(position(change.kind === 'delete' ? change.at : change.from), 1);
      if (change.kind === 'move' && row) rows.splice(Math.round(change.at * rows.length), 0, row);
    }
  }

  page(number: number): Body {
    const { rows, perPage } = this;
    const data = rows.slice((number - 1) * perPage, number * perPage);
    const last = Math.max(1, Math.ceil(rows.length / perPage));
    const links = { next: number < last ? `https://elsewhere.example/?page=${number + 1}` : null };
    const meta = { current_page: number, last_page: last, per_page: perPage, total: rows.length };
    switch (this.#envelope) {
      case 'totals':
        return { data, links, meta };
      case 'strings':
        return { data, meta: { ...meta, total: `${meta.total}`, last_page: `${last}` } };
      case 'last page':
        return { data, meta: { last_page: last } };
      case 'next':
        return { data, links, meta: { current_page: number, per_page: perPage } };
      case 'bare':
        return { data };
    }
  }

  /** The date of an answer; each is given three seconds after the one before. */
  tick(): string {
    this.#now += 3;
    return new Date(began + this.#now * 1000).toUTCString();
  }
}

export interface Walked {
  /** Pages that were asked for. */
  asked: (number | undefined)[];
  ids: string[];
  failure: unknown;
}

/** Walks over what is answered by page number. */
export async function walk(
  bodyOf: (page: number, request: number) => Body,
  single?: number,
  dateOf: () => string | undefined = () => undefined,
): Promise<Walked> {
  const asked: (number | undefined)[] = [];
  const ids: string[] = [];
  try {
    const ask = async (page: number | undefined) => {
      asked.push(page);
      const date = dateOf();
      const answer = {
        status: 200,
        headers: date === undefined ? {} : { date },
        body: JSON.stringify(bodyOf(page ?? 1, asked.length)),
      };
      return [answer, { method: 'GET', path: `/suppliers?page=${page}`, subject: 'suppliers' }] satisfies [
        unknown,
        unknown,
      ];
    };
    for await (const page of readPages(ask, { singlePage: single }))
      ids.push(...page.rows.map(({ id }) => String(id)));
    return { asked, ids, failure: undefined };
  } catch (failure) {
    return { asked, ids, failure };
  }
}

/** `changes` are those that happen before each request, by its number from 1; the first gives the list its dates. */
export function walkLiving(
  list: LivingList,
  changes: (request: number) => readonly Change[],
): Promise<Walked> {
  return walk(
    (page, request) => {
      for (const change of changes(request)) list.change(change);
      return list.page(page);
    },
    undefined,
    () => list.tick(),
  );
}

const began = Date.UTC(2026, 10, 20, 8);

function dateAt(seconds: number): string {
  return new Date(began + seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

function rowOf(number: number, created: string): Row {
  return { id: `r${number}`, created_at: created };
}
