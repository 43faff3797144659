/** Builds the requests that find records by the values of a field, with as few as possible. */
import type { Filter } from '../../api/contract/filter.ts';
import {
  normalizeKey,
  otherSpellingsOf,
  partsToQuery,
  valuesToQuery,
} from '../../api/contract/normalize-key.ts';
import { operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';

/** The maximum number of keys in one request. */
const maxBatchKeys = 100;

/** The usual number of records per page. */
const usualPageRows = 50;

/** The maximum number of phone numbers to search for also with separators between their digits. */
const maxSeparatorSearches = 10;

/** The maximum number of characters of the values in a URL. */
const maxUrlCharacters = 4000;

export interface ValueSearch {
  /** The name of the field in responses, or `id`. */
  by: string;
  /** The filter to use; by default it is chosen by the field. */
  filter?: Filter | undefined;
  /** The values as written. Each may be searched for in several spellings that count as the same. */
  values: Iterable<string>;
  /**
   * Whether codes that aren't found are also searched for by other spellings, or codes are only searched for by these; by
   * default they aren't.
   */
  spellings?: 'all' | 'other' | undefined;
}

/** One request for records. */
export interface FilterQuery {
  /** The filter; undefined if the record is read by its ID. */
  filter: Filter | undefined;
  /** The value of the filter, or the ID. */
  text: string;
  values: readonly string[];
  /** The minimum number of result pages if all values are found. */
  pages: number;
  spellings?: ValueSearch['spellings'];
}

/** Returns the requests for records that have one of the values; undefined if only the whole list can be searched. */
export function queriesFor(resource: Resource, searches: readonly ValueSearch[]): FilterQuery[] | undefined {
  const queries: FilterQuery[] = [];
  for (const search of searches) {
    const filter = search.filter ?? filterFor(resource, search.by);
    // Texts with spaces or commas can't be IDs: files may have names instead.
    const values = [...search.values].filter((text) => search.by !== 'id' || !/[\s,]/.test(text));
    if (values.length === 0) continue;
    const newQueries = filter ? filterQueries(filter, values) : idQueries(resource, search.by, values);
    if (newQueries === undefined) return undefined;
    for (const query of newQueries) queries.push({ ...query, spellings: search.spellings });
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
export function commonPartQueries(
  queries: readonly FilterQuery[],
  foundKeys: ReadonlySet<string>,
): FilterQuery[] {
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

/** Returns the requests for other spellings of the codes that were not found. */
export function otherSpellingQueries(
  queries: readonly FilterQuery[],
  foundKeys: ReadonlySet<string>,
): FilterQuery[] {
  return queries.flatMap(({ filter, values, spellings }) => {
    if (filter?.match !== 'equals' || spellings === undefined) return [];
    const missing = values.filter((key) => !foundKeys.has(queryKey(filter, key)));
    return (
      valueQueries(
        filter,
        missing.flatMap((key) => otherSpellingsOf(filter.value, key)),
      ) ?? []
    );
  });
}

export function queryKey(filter: Filter | undefined, text: string): string {
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
