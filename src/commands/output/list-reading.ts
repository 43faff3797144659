/** Reading a list as far as it was asked for, and saying what of it was left. */
import type { Page, Row } from '../../client/answer.ts';
import type { Client } from '../../client/client.ts';
import type { ListQuery } from '../../client/query.ts';
import type { Operation } from '../../contract/operation.ts';
import { counted, manyOf } from './wording.ts';

export interface ListCall {
  operation: Operation;
  query: ListQuery;
}

/** How much of a list is asked for: everything, unless one of these says otherwise. */
export interface Reach {
  limit?: number | undefined;
  isFirstPageOnly: boolean;
}

export interface Reading {
  /** Page after page; nothing is read ahead. */
  pages(): AsyncGenerator<Page>;
  /** The same, row after row. */
  rows(): AsyncGenerator<Row>;
  /** How many rows there were so far. */
  count(): number;
  /** How many pages that took. */
  requests(): number;
  /** Whether `limit` left rows out. */
  isCut(): boolean;
  /** What to tell about the list once it is shown: how many there are, and how to see the rest. */
  footer(): string;
}

export function readList(client: Client, call: ListCall, { limit, isFirstPageOnly }: Reach): Reading {
  let last: Page | undefined;
  let requests = 0;
  let count = 0;
  let isCut = false;

  async function* pages() {
    for await (const page of client.pages(call)) {
      last = page;
      requests++;
      yield page;
      if (isFirstPageOnly) return;
    }
  }

  async function* rows() {
    for await (const page of pages()) {
      for (const [index, row] of page.rows.entries()) {
        count++;
        yield row;
        if (count !== limit) continue;
        isCut = index + 1 < page.rows.length || mayHaveMore(page, requests) === 'yes';
        return;
      }
    }
  }

  const footer = () => {
    const { resource } = call.operation;
    const { page } = call.query;
    const total = last?.total;
    const some = total === undefined ? counted(resource, count) : `${count} of ${counted(resource, total)}`;
    if (count === 0) return `No ${manyOf(resource)} found.`;
    if (page !== undefined) return `Page ${page}${last?.lastPage ? ` of ${last.lastPage}` : ''}: ${some}.`;
    if (isCut) return `${some}; --limit leaves out the rest.`;
    const more = isFirstPageOnly && last ? mayHaveMore(last, 1) : 'no';
    if (more === 'no') return `${counted(resource, count)}.`;
    const rest = { yes: ', and there are more', unknown: '; there may be more' }[more];
    return `${some}${total === undefined ? rest : ''}. To see the rest, add --all, or --page 2.`;
  };

  return { pages, rows, count: () => count, requests: () => requests, isCut: () => isCut, footer };
}

/** Whether there is a page after this one: some services say nothing of it. */
function mayHaveMore({ rows, lastPage, hasNext }: Page, number: number): 'yes' | 'no' | 'unknown' {
  if (rows.length === 0) return 'no';
  if (lastPage !== undefined) return number < lastPage ? 'yes' : 'no';
  if (hasNext === undefined) return 'unknown';
  return hasNext ? 'yes' : 'no';
}
