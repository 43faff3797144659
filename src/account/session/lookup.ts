/** Looks up `@NAME` and `@FIELD:VALUE`, many at once: the result of each is exactly one record or a failure. */

import { openingQuotePattern, splitList } from '../../api/contract/comma-list.ts';
import type { Field } from '../../api/contract/field.ts';
import type { Filter } from '../../api/contract/filter.ts';
import { isCode, normalizeKey, relateKeys } from '../../api/contract/normalize-key.ts';
import { internationalNumber } from '../../api/contract/phone-numbers.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { parseFilterValue } from '../../api/contract/value-text.ts';
import { capitalize } from '../../api/contract/wording.ts';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Client } from '../client/client.ts';
import { isRow, type Row } from '../client/shape.ts';
import { findRecords } from './find-records.ts';
import { type Lists, readList } from './list.ts';
import { canContain, displayNameOf, formatCountedCandidates } from './record-key.ts';
import type { Spellings } from './spellings.ts';

export interface LookupOptions {
  /** Whether to search among deleted records, for `restore`. */
  deleted?: boolean;
  /** Whether the text after the @ may also be an ID, because files contain names or IDs. */
  orId?: boolean;
  /** Gets the records that are found by another spelling. */
  spellings?: Spellings;
}

/**
 * Returns the ID or the failure of each lookup: `not_found`, or `usage` if several records match or the resource can't
 * be searched. One request finds a hundred records. Every row is compared, because services may ignore unknown filters.
 */
export async function lookUpEach(
  client: Client,
  resource: Resource,
  texts: readonly string[],
  options: LookupOptions = {},
): Promise<Map<string, string | Failure>> {
  const list: Lists['list'] = (call, range) => readList(client, call, range);
  return lookUpIn({ list, get: (call) => client.get(call) }, resource, texts, options);
}

function missingIdFailure(resource: Resource, text: string): Failure {
  return new Failure('unavailable', `The service doesn't return an ID for the ${resource.noun} ${text}.`);
}

/** Looks up texts as `lookUpEach` does, in the lists of a session or a mirror. */
export async function lookUpIn(
  lists: Lists,
  resource: Resource,
  texts: readonly string[],
  { deleted = false, orId = false, spellings }: LookupOptions = {},
): Promise<Map<string, string | Failure>> {
  const results = new Map<string, string | Failure>();
  const state: LookupState = {
    deleted,
    hiddenFilters: new Set(),
    foldedRows: new Map(),
    similarRows: new Map(),
  };
  const addResult = (text: string, rows: readonly Row[]) => {
    const [{ id } = {}, ...otherRows] = rows;
    if (otherRows.length > 0) results.set(text, ambiguousFailure(resource, text, rows));
    else results.set(text, typeof id === 'string' && id !== '' ? id : missingIdFailure(resource, text));
  };
  const isFolded = ({ attempts }: Unresolved) => attempts.some((attempt) => state.foldedRows.has(attempt));
  let unresolved: Unresolved[] = [...new Set(texts)].flatMap((text) => {
    const attempts = resultOrFailure(() =>
      spellingsOf(text).flatMap((spelling) => attemptsFor(resource, spelling.slice(1), orId)),
    );
    if (attempts instanceof Failure) results.set(text, attempts);
    return attempts instanceof Failure ? [] : { text, attempts };
  });
  const search = async (searched: readonly Unresolved[], otherSpellings?: 'other') => {
    const attempts = searched.flatMap((lookup) => lookup.attempts);
    const matches = await findMatches(lists, resource, attempts, state, otherSpellings);
    for (const { text, attempts } of searched) {
      const rows = attempts.map((attempt) => matches.get(attempt)).find((found) => found);
      if (rows) addResult(text, rows);
    }
    unresolved = unresolved.filter(({ text }) => !results.has(text));
  };
  for (let round = 0; unresolved.some(({ attempts }) => round < attempts.length); round++)
    await search(
      unresolved.map(({ text, attempts }) => ({ text, attempts: attempts.slice(round, round + 1) })),
    );
  const unfound = unresolved.filter((lookup) => !isFolded(lookup));
  const isCodeFilter = ({ filter }: Attempt) => filter.match === 'equals' && isCode(filter.value);
  await search(
    unfound.map(({ text, attempts }) => ({ text, attempts: attempts.filter(isCodeFilter) })),
    'other',
  );
  for (const { text, attempts } of unresolved) {
    const rows = attempts.map((attempt) => state.foldedRows.get(attempt)).find((found) => found);
    if (!rows) results.set(text, notFoundFailure(resource, text, attempts, state));
    else addResult(text, rows);
    if (rows?.[0] && rows.length === 1)
      spellings?.add({ written: text, stored: displayNameOf(resource, rows[0]) });
  }
  return results;
}

/** A lookup with its searches. */
interface Unresolved {
  text: string;
  attempts: readonly Attempt[];
}

function resultOrFailure<Value>(work: () => Value): Value | Failure {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Returns the attempts: by FIELD if it is a filter, else by each field of the natural key that can contain the text. */
/** Returns the text, and also the name inside quotes: `@"Last, First"` means the same as in a list. */
function spellingsOf(text: string): string[] {
  const [unquoted = text, ...others] = openingQuotePattern.test(text) ? splitList(text) : [];
  return unquoted === text || others.length > 0 ? [text] : [text, unquoted];
}

function attemptsFor(resource: Resource, text: string, orId: boolean): Attempt[] {
  if (text === '') throw usage('Expected a name after the @.');
  if (!resource.list) throw usage(`${capitalize(resource.nouns)} can't be looked up: use the ID.`);
  const [, name, value = ''] = /^([^:]+):(.*)$/s.exec(text) ?? [];
  const filter = resource.filters.find((candidate) => candidate.name === name);
  if (filter) return parseAttempt(resource, text, filter, value);
  if (resource.key.length === 0) {
    throw usage(`${capitalize(resource.nouns)} have no name to look up: use the ID.`, {
      hint: boh.hint`To list their IDs: ${boh.account(`${resource.command} list`)}`,
    });
  }
  const filtersByKey = resource.filters.filter((candidate) => resource.key.includes(candidate.name));
  const keyFilters = resource.key.flatMap(
    (key) => filtersByKey.find((candidate) => candidate.name === key) ?? [],
  );
  const possibleFilters = keyFilters.filter((candidate) => canContain(candidate.value, text));
  const sorted = sortByLikelihood(resource, possibleFilters.length > 0 ? possibleFilters : keyFilters, text);
  const idFilters = orId ? resource.filters.filter(({ name }) => name === 'id') : [];
  // A request finds a hundred IDs, but only one part of a name.
  const isBatched = ({ match }: Filter) => match === 'equals';
  const filters = orId
    ? [...sorted.filter(isBatched), ...idFilters, ...sorted.filter((filter) => !isBatched(filter))]
    : sorted;
  return filters.map((candidate) => ({ filter: candidate, value: text }));
}

function parseAttempt(resource: Resource, text: string, filter: Filter, value: string): Attempt[] {
  if (!canBeCompared(filter)) {
    throw usage(`@${text}: records can't be looked up by ${filter.name}.`, {
      hint: boh.hint`Use the ID. To list IDs: ${boh.account(`${resource.command} list`)}`,
    });
  }
  const parsed = parseFilterValue(filter, value, new Date());
  if (parsed.problem === undefined) return [{ filter, value: String(parsed.value) }];
  throw usage(`@${text}: ${filter.name} ${parsed.problem}.`);
}

/** Returns whether responses contain the filtered field, so that rows can be compared. */
function canBeCompared({ match, on }: Filter): boolean {
  return on !== undefined && (match === 'equals' || match === 'contains');
}

/** Orders filters so that text with several words is searched for as a name first, which saves a request. */
function sortByLikelihood({ title }: Resource, filters: readonly Filter[], text: string): readonly Filter[] {
  const isTitle = ({ name }: Filter) => name === title;
  return /\p{L}\s/u.test(text)
    ? [...filters.filter(isTitle), ...filters.filter((filter) => !isTitle(filter))]
    : filters;
}

function ambiguousFailure(resource: Resource, text: string, rows: readonly Row[]): Failure {
  return usage(`${text} matches ${formatCountedCandidates(resource, rows)}.`, {
    hint: 'Use the ID of one of them.',
    lookup: { text, hasSimilar: true },
  });
}

function notFoundFailure(
  resource: Resource,
  text: string,
  attempts: readonly Attempt[],
  { deleted, hiddenFilters, similarRows }: LookupState,
): Failure {
  const { noun, nouns, command } = resource;
  const filterNames = attempts.map(({ filter }) => filter.name);
  const hiddenNames = filterNames.filter((name) => hiddenFilters.has(name));
  const reason =
    hiddenNames.length > 0
      ? ` The service doesn't return ${hiddenNames.join(' and ')}, so records can't be found by it.`
      : '';
  const rows = attempts.flatMap(({ value }) => similarRows.get(value) ?? []);
  // Each filter may find the same record.
  const similar = [...new Set(rows.map((row) => displayNameOf(resource, row)))].slice(0, 3);
  const suggestion = similar.length === 0 ? '' : ` Did you mean ${joinWithOr(similar)}?`;
  return new Failure(
    'not_found',
    `${capitalize(`${deleted ? 'deleted ' : ''}${noun}`)} ${text} not found.${reason}${suggestion}`,
    {
      hint: boh.hint`boh searched by ${filterNames.join(', then by ')}. To list ${nouns}: ${boh.account(`${command} list`)}`,
      lookup: { text, hasSimilar: rows.length > 0 },
    },
  );
}

function joinWithOr(names: readonly string[]): string {
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : names.join('');
}

/** Combines failures into one; ambiguous names take precedence over missing ones. */
export function combineFailures(failures: readonly Failure[], resource: Resource | undefined): Failure {
  const [firstFailure] = failures;
  if (firstFailure && failures.length === 1) return firstFailure;
  const mainFailure = failures.find(({ category }) => category !== 'not_found') ?? firstFailure;
  const details = resource
    ? { hint: boh.hint`To list ${resource.nouns}: ${boh.account(`${resource.command} list`)}` }
    : mainFailure?.details;
  const message = failures.map((failure) => failure.message).join(' ');
  return new Failure(mainFailure?.category ?? 'not_found', message, details);
}

/** The maximum number of result pages of a lookup: text with more matches isn't a name. */
const maxLookupPages = 10;

export type Matches = Map<Attempt, Row[]>;

/** The state of a lookup over several attempts. */
export interface LookupState {
  deleted: boolean;
  /** The names of filters whose fields responses don't contain, so that rows can't be compared. */
  hiddenFilters: Set<string>;
  /** The rows that have the value in another spelling. */
  foldedRows: Matches;
  similarRows: Map<string, Row[]>;
}

/** Returns the rows that match each attempt, each row once; with `spellings` those that other spellings of the values find. */
async function findMatches(
  lists: Lists,
  resource: Resource,
  attempts: readonly Attempt[],
  state: LookupState,
  spellings?: 'other',
): Promise<Matches> {
  const matches: Matches = new Map();
  const byFilter = Map.groupBy(attempts, ({ filter }) => filter);
  const searches = [...byFilter].map(([filter, attemptsOfFilter]) => ({
    by: filter.on ?? filter.name,
    filter,
    values: attemptsOfFilter.map(({ value }) => value),
    spellings,
  }));
  const include = [...new Set([...byFilter.keys()].flatMap(relationsToInclude))];
  const query = { resource, searches, include, deletedOnly: state.deleted, maxPages: maxLookupPages };
  for await (const rows of findRecords(lists, query)) {
    for (const filter of byFilter.keys())
      if (rows.some((row) => filteredValue(filter, row) === undefined)) state.hiddenFilters.add(filter.name);
    for (const row of rows)
      for (const attempt of attempts) {
        if (isMatch(attempt, row)) addRow(matches, attempt, row);
        else addOtherRow(attempt, row, state);
      }
  }
  return matches;
}

/** Adds a row that has the value of an attempt in another spelling, or is similar. */
function addOtherRow(attempt: Attempt, row: Row, { foldedRows, similarRows }: LookupState): void {
  const { filter, value } = attempt;
  const text = filteredValue(filter, row);
  if (typeof text !== 'string' || filter.on === 'id') return;
  const relation = relateKeys(filter.value, internationalNumber(filter.value, text, row), value);
  // A number with its calling code may be the same as one whose code is in another field.
  if (relation === 'folded' || relation === 'same') addRow(foldedRows, attempt, row);
  // Services match parts of names.
  else if (relation === 'similar' || (filter.match === 'contains' && containsText(text, value)))
    addRow(similarRows, value, row);
}

function containsText(text: string, part: string): boolean {
  return text.normalize().toLowerCase().includes(part.normalize().toLowerCase());
}

function addRow<Key>(rowsByKey: Map<Key, Row[]>, key: Key, row: Row): void {
  const rows = rowsByKey.get(key) ?? [];
  if (!rows.some(({ id }) => id === row.id)) rowsByKey.set(key, [...rows, row]);
}

/** Returns the relation that a request has to include: lists of relations are returned only if requested. */
function relationsToInclude({ name, on, value }: Filter): string[] {
  return name.includes('.') && on !== undefined && value.traits.includable ? [on] : [];
}

/** One search: a filter with its value. */
export interface Attempt {
  filter: Filter;
  value: string;
}

/** Returns a row's value of the filtered field; undefined if the row doesn't contain it. */
export function filteredValue({ on = '', value: { kind } }: Filter, row: Row): unknown {
  if (Object.hasOwn(row, on)) return row[on];
  return kind === 'one' && Object.hasOwn(row, `${on}_id`) ? row[`${on}_id`] : undefined;
}

/** Returns whether a row has the value, however the service interprets the filter. */
export function isMatch({ filter, value }: Attempt, row: Row): boolean {
  const rowValue = filteredValue(filter, row);
  if (rowValue === undefined || rowValue === null) return false;
  return Array.isArray(rowValue)
    ? rowValue.some((item) => equalsText(filter.value, isRow(item) ? item.id : item, value))
    : equalsText(filter.value, isRow(rowValue) ? rowValue.id : rowValue, value);
}

/** Returns whether a row's value equals the text: strings by their normalized key, numbers and booleans as in a query. */
function equalsText(field: Field, rowValue: unknown, value: string): boolean {
  if (typeof rowValue === 'string') return normalizeKey(field, rowValue) === normalizeKey(field, value);
  if (typeof rowValue === 'boolean') return String(rowValue) === value || (rowValue ? '1' : '0') === value;
  return typeof rowValue === 'number' && value.split(',').includes(String(rowValue));
}
