/** A list, page after page. The service's `next` link is never followed: it may drop the filters or leave the host. */
import { Failure } from '../errors.ts';
import { type Page, pageOf } from './answer.ts';
import type { Asked } from './refusal.ts';
import type { Row } from './shape.ts';
import type { HttpAnswer } from './transport.ts';

/** Asks for one page; without a number for the first, as the service gives it unasked. */
export type AskPage = (number: number | undefined) => Promise<[HttpAnswer, Asked]>;

/** More than any business has: past it the list doesn't end. */
const mostPages = 100_000;

/**
 * All pages from the first, or the single one that is named. The end is where `last_page` says, else where there is
 * no next link, else an empty page (docs/deployments.md: "Lists"). A record that moves to a later page while the list is read,
 * because others were added before it, is given once. Throws a Failure where a page repeats itself or another.
 */
export async function* walkPages(ask: AskPage, single?: number): AsyncGenerator<Page> {
  const seen = new Set<string>();
  let lengthBefore = 0;
  for (let number = single ?? 1; ; number++) {
    const [answer, asked] = await ask(number === 1 && single === undefined ? undefined : number);
    const page = pageOf(answer, asked);
    const twice = repeatedId(page.rows);
    if (twice !== undefined)
      throw unreadable(`Page ${number} of the list holds the record ${twice} twice`, asked);

    const fresh = page.rows.filter((row) => !seen.has(keyOf(row)));
    // A last page of nothing but moved records is shorter than the one before; a list that starts over is not.
    if (page.rows.length > 0 && fresh.length === 0 && page.rows.length >= lengthBefore) {
      throw unreadable(`Page ${number} of the list repeats what came before`, asked);
    }
    for (const row of fresh) seen.add(keyOf(row));
    lengthBefore = page.rows.length;

    yield { ...page, rows: fresh };
    if (single !== undefined || isLast(page, number)) return;
    if (number >= mostPages) throw unreadable(`The list goes on after ${mostPages} pages`, asked);
  }
}

function isLast({ rows, lastPage, hasNext }: Page, number: number): boolean {
  if (rows.length === 0) return true;
  return lastPage === undefined ? hasNext === false : number >= lastPage;
}

function repeatedId(rows: readonly Row[]): string | undefined {
  const ids = rows.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  const once = new Set<string>();
  return ids.find((id) => once.size === once.add(id).size);
}

/** What tells one record from another: its id, or all of it where it has none. */
function keyOf(row: Row): string {
  return typeof row.id === 'string' ? row.id : JSON.stringify(row);
}

function unreadable(message: string, { method, path }: Asked): Failure {
  return new Failure('unavailable', `${message}, so it is not read any further.`, {
    request: { method, path },
    hint: 'A filter or a sort may change how the service pages; a single page can still be read with --page N.',
  });
}
