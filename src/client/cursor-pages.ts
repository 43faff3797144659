/** Reads a list that the service ends after some pages: it continues with the records after the last one. */
import { type Call, expectedRowsOf } from './request.ts';
import type { ListPage } from './response.ts';

/** The number of rows of a page that doesn't report it. */
const usualPageRows = 50;

/**
 * Yields the pages of a list in the order of the cursor's field, numbered as one list. A call with a page or an order of
 * its own is read as it is: the service then ends it, and a missing part is reported as for every list.
 */
export async function* cursorPages(
  call: Call,
  pages: (call: Call) => AsyncGenerator<ListPage>,
): AsyncGenerator<ListPage> {
  const { cursor } = call.operation.resource;
  if (!cursor) return yield* pages(call);
  const { field, filter, maxPages } = cursor;
  const { page, sort = [field], filters } = call.query ?? {};
  if (page !== undefined || sort.join() !== field || filters?.[filter] !== undefined)
    return yield* pages(call);
  const expectedRows = (page: ListPage) =>
    Math.min(expectedRowsOf(call)(page), maxPages * (page.perPage ?? usualPageRows));
  let [pageCount, total, after]: [number, number | undefined, string | undefined] = [0, undefined, undefined];
  for (;;) {
    const query = {
      ...call.query,
      sort,
      filters: { ...filters, ...(after !== undefined && { [filter]: after }) },
    };
    let last: ListPage | undefined;
    for await (const page of pages({ ...call, query, expectedRows })) {
      total ??= page.total;
      const { lastPage } = page;
      last = page;
      yield {
        ...page,
        number: pageCount + page.number,
        total,
        ...(lastPage !== undefined && { lastPage: pageCount + lastPage }),
      };
      if (page.number >= maxPages) break;
    }
    const end = last?.rows.at(-1)?.[field];
    const mayContinue =
      last?.number === maxPages && (last.lastPage === undefined || last.lastPage > maxPages);
    if (!mayContinue || end === undefined || end === null || String(end) === after) return;
    pageCount += maxPages;
    after = String(end);
  }
}
