/**
 * Finds the records that have one of many values with as few requests as possible: with filters, or by reading the whole
 * list.
 */

import { normalizeKey } from '../../api/contract/normalize-key.ts';
import { operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { Failure, usage } from '../../base/errors.ts';
import type { ListPage, Row } from '../client/response.ts';
import {
  commonPartQueries,
  type FilterQuery,
  otherSpellingQueries,
  queriesFor,
  queryKey,
  type ValueSearch,
} from './find-queries.ts';
import { isDeleted, type ListRange, type Lists } from './list.ts';

/** The maximum number of pages to read for a common part of a name: further pages have other names. */
const maxPagesOfPart = 3;

/**
 * The maximum number of requests to send without checking first whether the list is shorter. A request has up to
 * a hundred values, or one part of a string.
 */
const maxQueriesWithoutCheck = { values: 3, parts: 2 };

/** The number of list pages that can be read in the time of one filtered request. */
const pagesPerRequest = 1.25;

/** Describes the records to find and how to search for them. */
export interface FindRequest {
  resource: Resource;
  searches: readonly ValueSearch[];
  include?: readonly string[] | undefined;
  /** Relations to include if the token may read them. */
  optional?: readonly string[] | undefined;
  /** See `ListQuery`. */
  onMissing?: ((paths: readonly string[]) => void) | undefined;
  /** Only deleted records. */
  deletedOnly?: boolean | undefined;
  /** Reads the whole list even if requests by values would be fewer. */
  readsWholeList?: boolean | undefined;
  /** Called before the first page if the whole list is read. */
  onWholeList?: (() => void) | undefined;
  /** The maximum number of pages of results of one query; more throw `usage`. */
  maxPages?: number | undefined;
}

/**
 * Yields pages that contain all records with one of the values. They may also contain other records, and the same record
 * twice: the caller compares them by `normalizeKey`. Throws `usage` for a resource that can't be listed.
 */
export async function* findRecords(lists: Lists, request: FindRequest): AsyncGenerator<readonly Row[]> {
  const queries = request.readsWholeList ? undefined : queriesFor(request.resource, request.searches);
  if (queries?.length === 0) return;
  const pages = queries?.reduce((sum, query) => sum + query.pages, 0);
  if (shouldCompareWithList(queries) && (yield* readWholeList(lists, request, pages))) return;
  const foundKeys = new Set<string>();
  for (const query of queries?.filter(({ spellings }) => spellings !== 'other') ?? [])
    for await (const rows of resultsOf(lists, request, query)) {
      for (const key of keysOfResults(query, rows)) foundKeys.add(key);
      yield rows;
    }
  for (const query of commonPartQueries(queries ?? [], foundKeys))
    yield* resultsOf(lists, request, query, maxPagesOfPart);
  const others = otherSpellingQueries(queries ?? [], foundKeys);
  const otherPages = others.reduce((sum, query) => sum + query.pages, 0);
  if (shouldCompareWithList(others) && (yield* readWholeList(lists, request, otherPages))) return;
  for (const query of others) yield* resultsOf(lists, request, query);
}

function shouldCompareWithList(queries: readonly FilterQuery[] | undefined): boolean {
  const areAllByValue = queries?.every(({ filter }) => filter?.match === 'equals');
  const maxQueries = areAllByValue ? maxQueriesWithoutCheck.values : maxQueriesWithoutCheck.parts;
  return queries === undefined || queries.length > maxQueries;
}

/** Returns the keys of the records that a search has found. */
function keysOfResults({ filter }: FilterQuery, rows: readonly Row[]): string[] {
  const texts = rows.map((row) => row[filter?.on ?? '']).filter((value) => typeof value === 'string');
  return texts.map((value) => queryKey(filter, normalizeKey(filter?.value, value)));
}

/** Reads the whole list. Returns false without yielding anything if filtered requests need fewer pages. */
async function* readWholeList(
  lists: Lists,
  request: FindRequest,
  pages = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly Row[], boolean> {
  // The first page contains the length of the list. If it doesn't, the list is read only if filters can't be used.
  const isShort = ({ lastPage }: ListPage) =>
    lastPage === undefined ? pages === Number.POSITIVE_INFINITY : lastPage <= pages * pagesPerRequest;
  for await (const page of pagesOf(lists, request, {}, { readsAll: isShort })) {
    if (page.number === 1 && !isShort(page)) return false;
    if (page.number === 1) request.onWholeList?.();
    yield page.rows;
  }
  return true;
}

/** Yields the results of a query, up to `maxPages`; throws `usage` if the caller's limit is exceeded. */
async function* resultsOf(
  lists: Lists,
  request: FindRequest,
  { filter, text, values }: FilterQuery,
  maxPages?: number,
): AsyncGenerator<readonly Row[]> {
  if (!filter) return yield* readById(lists, request, text);
  let count = 0;
  for await (const { rows } of pagesOf(lists, request, { [filter.name]: text })) {
    if (maxPages !== undefined && count >= maxPages) return;
    if (count++ >= (request.maxPages ?? Number.POSITIVE_INFINITY)) {
      const names = values.map((value) => `@${value}`).join(', ');
      throw usage(`${names} matches too many records.`, { hint: 'Use the ID.' });
    }
    yield rows;
  }
}

async function* readById(
  lists: Lists,
  { resource, include, optional, onMissing, deletedOnly = false }: FindRequest,
  id: string,
): AsyncGenerator<readonly Row[]> {
  const get = operation(resource, 'get');
  if (!get) return;
  try {
    const query = { include, optional, onMissing };
    const { record } = await lists.get({ operation: get, ids: [id], query });
    if (!deletedOnly || isDeleted(record)) yield [record];
  } catch (error) {
    const isMissing =
      error instanceof Failure && (error.category === 'not_found' || error.category === 'usage');
    if (!isMissing) throw error;
  }
}

function pagesOf(
  lists: Lists,
  { resource, include = [], optional = [], onMissing = () => undefined, deletedOnly = false }: FindRequest,
  filters: Record<string, string>,
  range: ListRange = {},
): AsyncGenerator<ListPage> {
  const list = operation(resource, 'list');
  if (!list) throw usage(`${resource.command} can't be listed, so they can't be found by key or name.`);
  return lists
    .list({ operation: list, query: { filters, include, optional, onMissing } }, { ...range, deletedOnly })
    .pages();
}

/**
 * Returns the records that the token may read, by ID. The map is empty if the list has no filter for IDs. Throws only if
 * the command is interrupted.
 */
export async function findReadableRecords(
  lists: Lists,
  resource: Resource,
  ids: readonly string[],
  { deletedOnly = false }: { deletedOnly?: boolean } = {},
): Promise<Map<string, Row>> {
  const list = operation(resource, 'list');
  const records = new Map<string, Row>();
  if (!list || !resource.filters.some(({ name }) => name === 'id')) return records;
  const idSet = new Set(ids);
  try {
    const searches = [{ by: 'id' as const, values: idSet }];
    for await (const rows of findRecords(lists, { resource, searches, deletedOnly }))
      for (const row of rows) if (idSet.has(String(row.id))) records.set(String(row.id), row);
  } catch (error) {
    if (!(error instanceof Failure) || error.category === 'interrupted') throw error;
  }
  return records;
}
