/**
 * Finds the records that have one of many values with as few requests as possible: with filters, or by reading the whole
 * list.
 */
import { Failure, usage } from '../base/errors.ts';
import type { ListPage, Row } from '../client/response.ts';
import type { Filter } from '../contract/filter.ts';
import { normalizeKey, partsToQuery, valuesToQuery } from '../contract/normalize-key.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
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
  /** Relations to include. */
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
  const areAllByValue = queries?.every(({ filter }) => filter?.match === 'equals');
  const maxQueries = areAllByValue ? maxQueriesWithoutCheck.values : maxQueriesWithoutCheck.parts;
  const shouldCompareWithList = queries === undefined || queries.length > maxQueries;
  if (shouldCompareWithList && (yield* readWholeList(lists, request, pages))) return;
  const foundKeys = new Set<string>();
  for (const query of queries ?? [])
    for await (const rows of resultsOf(lists, request, query)) {
      for (const key of keysOfResults(query, rows)) foundKeys.add(key);
      yield rows;
    }
  for (const query of commonPartQueries(queries ?? [], foundKeys))
    yield* resultsOf(lists, request, query, maxPagesOfPart);
}

/** Returns the keys of the records that a search for a part of a string has found. */
function keysOfResults({ filter }: FilterQuery, rows: readonly Row[]): string[] {
  if (filter?.match !== 'contains') return [];
  const texts = rows.map((row) => row[filter.on ?? '']).filter((value) => typeof value === 'string');
  return texts.map((value) => queryKey(filter, normalizeKey(filter.value, value)));
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

/** The maximum number of keys in one request. */
const maxBatchKeys = 100;

/** The usual number of records per page. */
const usualPageRows = 50;

/** The maximum number of phone numbers to search for also with separators between their digits. */
const maxSeparatorSearches = 10;

/** The maximum number of characters of the values in a URL. */
const maxUrlCharacters = 4000;

/** The values of one field to search for. */
export interface ValueSearch {
  /** The name of the field in responses, or `id`. */
  by: string;
  /** The filter to use; by default it is chosen by the field. */
  filter?: Filter | undefined;
  /** The values as written. Each may be searched for in several spellings. */
  values: Iterable<string>;
}

/** One request for records. */
export interface FilterQuery {
  /** The filter; undefined if the record is read by its ID. */
  filter: Filter | undefined;
  /** The value of the filter, or the ID. */
  text: string;
  /** The values that it finds. */
  values: readonly string[];
  /** The minimum number of result pages if all values are found. */
  pages: number;
}

/** Returns the requests for records that have one of the values; undefined if only the whole list can be searched. */
function queriesFor(resource: Resource, searches: readonly ValueSearch[]): FilterQuery[] | undefined {
  const queries: FilterQuery[] = [];
  for (const search of searches) {
    const filter = search.filter ?? filterFor(resource, search.by);
    // Texts with spaces or commas can't be IDs: files may have names instead.
    const values = [...search.values].filter((text) => search.by !== 'id' || !/[\s,]/.test(text));
    if (values.length === 0) continue;
    const newQueries = filter ? filterQueries(filter, values) : idQueries(resource, search.by, values);
    if (newQueries === undefined) return undefined;
    for (const query of newQueries) queries.push(query);
  }
  return queries;
}

/** Returns the filter for a field whose results can be compared; filters for whole values are preferred. */
function filterFor({ filters }: Resource, by: string): Filter | undefined {
  const filterWith = (match: Filter['match']) =>
    filters.find((filter) => filter.on === by && filter.match === match);
  return filterWith('equals') ?? filterWith('contains');
}

/** Returns the field of a key whose filter finds the fewest records; undefined if there is no filter. */
export function filterForKey(resource: Resource, names: readonly string[]): string | undefined {
  let [bestName, bestRank]: [string | undefined, number] = [undefined, 0];
  for (const name of names) {
    const rank = rankOf(filterFor(resource, name));
    if (rank > bestRank) [bestName, bestRank] = [name, rank];
  }
  return bestName;
}

/** Returns the rank of a filter. It is higher if fewer records have the same value. */
function rankOf(filter: Filter | undefined): number {
  if (!filter) return 0;
  if (filter.match === 'contains') return 2;
  if (filter.value.traits.target !== undefined) return 3;
  return filter.value.kind === 'text' ? 4 : 1;
}

function idQueries(resource: Resource, by: string, values: readonly string[]): FilterQuery[] | undefined {
  if (by !== 'id' || !operation(resource, 'get')) return undefined;
  return values.map((text) => ({ filter: undefined, text, values: [text], pages: 1 }));
}

function filterQueries(filter: Filter, values: readonly string[]): FilterQuery[] | undefined {
  return filter.match === 'contains' ? partQueries(filter, values) : valueQueries(filter, values);
}

/** Returns the requests for a filter by parts of strings: one for each spelling of each string. */
function partQueries(filter: Filter, values: readonly string[]): FilterQuery[] | undefined {
  const byText = new Map<string, string[]>();
  for (const value of values) {
    const { whole } = partsToQuery(filter.value, value);
    if (!whole.every(fitsUrl)) return undefined;
    for (const text of whole) byText.set(text, [...(byText.get(text) ?? []), value]);
  }
  return [...byText].map(([text, values]) => ({ filter, text, values, pages: 1 }));
}

/**
 * Returns additional requests for strings that were not found, because a record may be written differently, for example
 * with two spaces. They search for a part that all spellings contain.
 */
function commonPartQueries(queries: readonly FilterQuery[], foundKeys: ReadonlySet<string>): FilterQuery[] {
  const queriedKeys = new Set(queries.map(({ filter, text }) => queryKey(filter, text)));
  const newQueries = new Map<string, FilterQuery>();
  for (const { filter, values } of queries) {
    if (filter?.match !== 'contains') continue;
    for (const value of values) {
      const { common } = partsToQuery(filter.value, value);
      const isFound = foundKeys.has(queryKey(filter, normalizeKey(filter.value, value)));
      if (common === undefined || isFound) continue;
      const key = queryKey(filter, common);
      if (!queriedKeys.has(key)) newQueries.set(key, { filter, text: common, values: [value], pages: 1 });
    }
  }
  return [...newQueries.values()];
}

function queryKey(filter: Filter | undefined, text: string): string {
  return `${filter?.name} ${text}`;
}

/** Returns the requests for a filter by whole values, with all spellings. */
function valueQueries(filter: Filter, requestedValues: readonly string[]): FilterQuery[] | undefined {
  const isText = filter.value.kind === 'text';
  const byKey = new Map<string, Set<string>>();
  for (const value of requestedValues) {
    // Commas separate values, so text with a comma can't be a value.
    if (isText && value.includes(',')) return undefined;
    const key = normalizeKey(filter.value, value);
    const spellings = byKey.get(key) ?? new Set<string>();
    byKey.set(key, spellings);
    for (const spelling of valuesToQuery(filter.value, value, requestedValues.length <= maxSeparatorSearches))
      spellings.add(spelling);
  }
  const queries: FilterQuery[] = [];
  let [texts, values, length]: [string[], string[], number] = [[], [], 0];
  const endQuery = () => {
    const pages = Math.ceil(values.length / usualPageRows);
    if (pages > 0) queries.push({ filter, text: texts.join(','), values, pages });
    [texts, values, length] = [[], [], 0];
  };
  for (const [key, spellings] of byKey) {
    const text = [...spellings].join(',');
    if (!fitsUrl(text)) return undefined;
    const encodedSize = encodedLength(text) + 1;
    if (values.length >= maxBatchKeys || length + encodedSize > maxUrlCharacters) endQuery();
    texts.push(text);
    values.push(key);
    length += encodedSize;
  }
  endQuery();
  return queries;
}

function fitsUrl(text: string): boolean {
  // A character takes at most nine characters in a URL.
  return text.length * 9 <= maxUrlCharacters || encodedLength(text) <= maxUrlCharacters;
}

function encodedLength(text: string): number {
  return encodeURIComponent(text.toWellFormed()).length;
}
