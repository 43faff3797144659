/** Simulates a list that changes between the requests for its pages. */
import { readPages } from '../../src/account/client/read-pages.ts';
import type { Row } from '../../src/account/client/shape.ts';

export type Body = Record<string, unknown>;

/** The metadata that surrounds the rows. The API document describes only `data`. */
export type Envelope = 'totals' | 'strings' | 'last page' | 'next' | 'bare';

/** A change of the list. Positions are between 0 (the beginning of the list) and 1 (the end). */
export type Change =
  | { kind: 'insert'; position: number }
  | { kind: 'delete'; position: number }
  | { kind: 'move'; from: number; position: number };

export class ChangingList {
  rows: Row[];
  perPage: number;
  readonly #envelope: Envelope;
  #nextNumber: number;
  /** The seconds since the first request for the list. */
  #now = 0;

  constructor(count: number, { perPage = 50, envelope = 'totals' as Envelope } = {}) {
    this.rows = Array.from({ length: count }, (_, index) => rowOf(index + 1, '2026-01-01 00:00:00'));
    this.perPage = perPage;
    this.#envelope = envelope;
    this.#nextNumber = count + 1;
  }

  get ids(): string[] {
    return this.rows.map(({ id }) => String(id));
  }

  change(change: Change): void {
    const { rows } = this;
    const indexOf = (position: number, length = rows.length) =>
      Math.min(Math.floor(position * length), length - 1);
    if (change.kind === 'insert') {
      rows.splice(Math.round(change.position * rows.length), 0, rowOf(this.#nextNumber++, dateAt(this.#now)));
    } else if (rows.length > 0) {
      const [row] = rows.splice(indexOf(change.kind === 'delete' ? change.position : change.from), 1);
      if (change.kind === 'move' && row) rows.splice(Math.round(change.position * rows.length), 0, row);
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

  /** Returns the date of a response, three seconds after the previous one. */
  tick(): string {
    this.#now += 3;
    return new Date(startTime + this.#now * 1000).toUTCString();
  }
}

export interface ListResult {
  /** The requested page numbers; undefined for a request without a page parameter. */
  requestedPages: (number | undefined)[];
  ids: string[];
  failure: unknown;
}

/** Reads a list whose pages are returned by `bodyOf`. */
export async function readPagesOf(
  bodyOf: (page: number, request: number) => Body,
  singlePage?: number,
  dateOf: () => string | undefined = () => undefined,
): Promise<ListResult> {
  const requestedPages: (number | undefined)[] = [];
  const ids: string[] = [];
  try {
    const requestPage = async (page: number | undefined) => {
      requestedPages.push(page);
      const date = dateOf();
      const response = {
        status: 200,
        headers: date === undefined ? {} : { date },
        body: JSON.stringify(bodyOf(page ?? 1, requestedPages.length)),
      };
      return [response, { method: 'GET', path: `/suppliers?page=${page}`, subject: 'suppliers' }] satisfies [
        unknown,
        unknown,
      ];
    };
    for await (const page of readPages(requestPage, { singlePage }))
      ids.push(...page.rows.map(({ id }) => String(id)));
    return { requestedPages, ids, failure: undefined };
  } catch (failure) {
    return { requestedPages, ids, failure };
  }
}

/** Reads a list that changes. `changes` returns the changes before a request, by the number of the request from 1. */
export function readChangingList(
  list: ChangingList,
  changes: (request: number) => readonly Change[],
): Promise<ListResult> {
  return readPagesOf(
    (page, request) => {
      for (const change of changes(request)) list.change(change);
      return list.page(page);
    },
    undefined,
    () => list.tick(),
  );
}

const startTime = Date.UTC(2026, 10, 20, 8);

function dateAt(seconds: number): string {
  return new Date(startTime + seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

function rowOf(number: number, created: string): Row {
  return { id: `r${number}`, created_at: created };
}
