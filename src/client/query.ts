/** The query of a request, in the spelling of the deployment. docs/reference/deployments.md: "Lists". */

export interface ListQuery {
  /** By the document's names; values as they go out, several as a comma list. */
  filters?: Readonly<Record<string, string>>;
  include?: readonly string[] | undefined;
  /** More relations, which can be left out where the token may not see them; a session sees to that. */
  optional?: readonly string[] | undefined;
  sort?: readonly string[] | undefined;
  page?: number | undefined;
}

export interface QueryStyle {
  filterStyle: 'bracket' | 'plain';
  /** The parameter that asks for a number of rows a page; deployments have none by default. */
  pageSizeParam?: string | undefined;
  /** The parameter that asks for a page by its number; `page` unless it is given. */
  pageParam?: string | undefined;
}

/** `?filter[name]=Fresh%20Farms&sort=-created_at&page=2`, or nothing where nothing is asked. */
export function listQuery(query: ListQuery, style: QueryStyle): string {
  const pairs: [string, string][] = Object.entries(query.filters ?? {}).map(([name, value]) => [
    style.filterStyle === 'bracket' ? `filter[${encode(name)}]` : encode(name),
    value,
  ]);
  const include = [...(query.include ?? []), ...(query.optional ?? [])];
  if (include.length > 0) pairs.push(['include', include.join(',')]);
  if (query.sort?.length) pairs.push(['sort', query.sort.join(',')]);
  if (query.page !== undefined) pairs.push([encode(style.pageParam ?? 'page'), String(query.page)]);
  if (style.pageSizeParam) pairs.push([encode(style.pageSizeParam), '100']);
  return joinQuery(pairs.map(([name, value]) => `${name}=${encode(value)}`));
}

/** Plain pairs, as they are given: `?order_id=7`. */
export function plainQuery(pairs: Iterable<readonly [string, string]>): string {
  return joinQuery([...pairs].map(([name, value]) => `${encodeName(name)}=${encode(value)}`));
}

/** One part of a path: a slash, a dot-dot or a question mark in an id can't lead anywhere else. */
export function pathPart(id: string): string {
  // Dots alone would be taken for "this folder" or "the one above" even when encoded.
  if (id === '' || id === '.' || id === '..') throw new RangeError(`"${id}" can’t be part of an address`);
  return encodeURIComponent(id);
}

function joinQuery(parts: string[]): string {
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** Percent-encoded, but for commas, which deployments want as they are. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%2C', ',');
}

function encodeName(text: string): string {
  return encode(text).replaceAll('%5B', '[').replaceAll('%5D', ']');
}
