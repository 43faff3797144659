/** A list, page after page. The service's `next` link is never followed: it may drop the filters or leave the host. */
import { Failure } from '../errors.ts';
import { type Asked, type Page, pageOf } from './answer.ts';
import type { Call } from './request.ts';
import type { HttpAnswer } from './transport.ts';

type Send = (call: Call) => Promise<[HttpAnswer, Asked]>;

/**
 * All pages from the first, or the one page that the query names. The end is where `last_page` says, else where
 * there is no next link, else an empty page (wire.md: "Lists").
 */
export async function* walkPages(call: Call, send: Send): AsyncGenerator<Page> {
  const single = call.query?.page;
  let previous = '';
  for (let number = single ?? 1; ; number++) {
    const page = number === 1 && single === undefined ? undefined : number;
    const [answer, asked] = await send({ ...call, query: { ...call.query, page } });
    const found = pageOf(answer, asked);
    const ids = JSON.stringify(found.rows.map(({ id }) => id));
    if (found.rows.length > 0 && ids === previous) throw repeated(number, asked);
    previous = ids;
    yield found;
    if (single !== undefined || isLast(found, number)) return;
  }
}

function isLast({ rows, lastPage, hasNext }: Page, number: number): boolean {
  if (rows.length === 0) return true;
  return lastPage === undefined ? hasNext === false : number >= lastPage;
}

function repeated(number: number, { method, path }: Asked): Failure {
  return new Failure(
    'unavailable',
    `Page ${number} of the list repeats page ${number - 1}: the list can’t be read whole.`,
    {
      request: { method, path },
      hint: 'A filter or a sort may change how the service pages; a single page can still be read with --page N.',
    },
  );
}
