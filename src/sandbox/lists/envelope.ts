/** Builds the bodies of responses: a page of a list with its links and counts, or a single record. */

import type { OperationCall } from '../context.ts';
import type { Variant } from '../variant.ts';
import type { ListQuery } from './query.ts';
import type { RowPage } from './search.ts';

/**
 * Returns the body for a page. Its links omit the request's filters, as those of deployments do, so that clients
 * don't rely on them. If the deployment doesn't return totals, `last`, `last_page` and `total` are missing.
 */
export function pageEnvelope(
  data: readonly unknown[],
  page: RowPage,
  { page: pageNumber, pageSize }: Pick<ListQuery, 'page' | 'pageSize'>,
  { listUrl, variant, operation }: Pick<OperationCall, 'listUrl' | 'variant' | 'operation'>,
): unknown {
  if (variant['wire.envelope'] === 'none') return data;
  const { maxPages = Infinity } = operation.resource.cursor ?? {};
  const hasNext = page.hasNext && pageNumber < maxPages;
  const total = variant['wire.totals'] === 'shown' ? page.total : undefined;
  const link = (number: number) => `${listUrl}?${variant['wire.page_param']}=${number}`;
  const lastPage =
    total === undefined ? undefined : Math.min(maxPages, Math.max(1, Math.ceil(total / pageSize)));
  const from = (pageNumber - 1) * pageSize + 1;
  const links = {
    first: link(1),
    last: lastPage === undefined ? null : link(lastPage),
    prev: pageNumber > 1 ? link(pageNumber - 1) : null,
    next: hasNext ? link(pageNumber + 1) : null,
  };
  return {
    [variant['wire.envelope']]: data,
    links,
    meta: {
      current_page: pageNumber,
      from: data.length === 0 ? null : from,
      ...(lastPage !== undefined && { last_page: lastPage }),
      ...(variant['wire.page_links'] === 'shown' && {
        links: pageLinks(pageNumber, links, link(pageNumber)),
      }),
      path: listUrl,
      per_page: pageSize,
      to: data.length === 0 ? null : from + data.length - 1,
      ...(total !== undefined && { total }),
    },
  };
}

/** Returns links to the previous page, to the current one and to the next page, labeled as Laravel does. */
function pageLinks(
  page: number,
  { prev, next }: Record<'prev' | 'next', string | null>,
  url: string,
): object[] {
  return [
    { url: prev, label: '&laquo; Previous', active: false },
    { url, label: String(page), active: true },
    { url: next, label: 'Next &raquo;', active: false },
  ];
}

export function recordEnvelope(record: unknown, variant: Pick<Variant, 'wire.envelope'>): unknown {
  return variant['wire.envelope'] === 'data' ? { data: record } : record;
}
