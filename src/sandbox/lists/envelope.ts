/** Builds the bodies of responses: a page of a list with its links and counts, or a single record. */

import type { OperationCall } from '../context.ts';
import type { Variant } from '../variant.ts';
import type { ListQuery } from './query.ts';
import type { RowPage } from './search.ts';

/**
 * Returns the body for a page. Its links omit the request's filters, as those of deployments do, so that clients
 * don't rely on them. If there are too many matches to count, or the deployment doesn't return totals, `last`,
 * `last_page` and `total` are missing.
 */
export function pageEnvelope(
  data: readonly unknown[],
  page: RowPage,
  { page: pageNumber, pageSize }: Pick<ListQuery, 'page' | 'pageSize'>,
  { listUrl, variant }: Pick<OperationCall, 'listUrl' | 'variant'>,
): unknown {
  if (variant['wire.envelope'] === 'none') return data;
  const { hasNext } = page;
  const total = variant['wire.totals'] === 'shown' ? page.total : undefined;
  const link = (number: number) => `${listUrl}?${variant['wire.page_param']}=${number}`;
  const lastPage = total === undefined ? undefined : Math.max(1, Math.ceil(total / pageSize));
  const from = (pageNumber - 1) * pageSize + 1;
  return {
    [variant['wire.envelope']]: data,
    links: {
      first: link(1),
      last: lastPage === undefined ? null : link(lastPage),
      prev: pageNumber > 1 ? link(pageNumber - 1) : null,
      next: hasNext ? link(pageNumber + 1) : null,
    },
    meta: {
      current_page: pageNumber,
      from: data.length === 0 ? null : from,
      ...(lastPage !== undefined && { last_page: lastPage }),
      path: listUrl,
      per_page: pageSize,
      to: data.length === 0 ? null : from + data.length - 1,
      ...(total !== undefined && { total }),
    },
  };
}

/** Returns the body for one record. */
export function recordEnvelope(record: unknown, variant: Pick<Variant, 'wire.envelope'>): unknown {
  return variant['wire.envelope'] === 'data' ? { data: record } : record;
}
