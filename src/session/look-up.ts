/** Resolves `@NAME` and `@FIELD:VALUE` to records, many at a time: each to exactly one record, or to a failure. */
import { Failure, usage } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import type { Client } from '../client/client.ts';
import { isRow, type Row } from '../client/shape.ts';
import type { Field } from '../contract/field.ts';
import type { Filter } from '../contract/filter.ts';
import { keyForm } from '../contract/key-form.ts';
import { isSimilarPhone } from '../contract/phone-form.ts';
import type { Resource } from '../contract/resource.ts';
import { readFilter } from '../contract/text.ts';
import { capitalized } from '../contract/wording.ts';
import { findRecords } from './find-records.ts';
import { noteOtherZeros } from './leading-zeros.ts';
import { type Lists, readList } from './list.ts';
import { calledBy, canContain, severalText } from './record-key.ts';

/** How a name is looked up. */
export interface LookupOptions {
  /** Searches among deleted records, for `restore`. */
  deleted?: boolean;
  /** The text after the @ may also be an id, as files contain either. */
  orId?: boolean;
}

/**
 * Returns the ids of the records by look-up. A filter with a comma list finds a hundred of them. Every row is
 * compared with the look-up, because services may ignore unknown filters. Unresolved look-ups have a failure:
 * `not_found`, or `usage` if several records match or the resource can't be searched.
 */
export async function lookUpEach(
  client: Client,
  resource: Resource,
  texts: readonly string[],
  options: LookupOptions = {},
): Promise<Map<string, string | Failure>> {
  const list: Lists['list'] = (call, reach) => readList(client, call, reach);
  return lookUpIn({ list, get: (call) => client.get(call) }, resource, texts, options);
}

/** Resolves look-ups in any lists, such as those of a mirror. */
export async function lookUpIn(
  lists: Lists,
  resource: Resource,
  texts: readonly string[],
  { deleted = false, orId = false }: LookupOptions = {},
): Promise<Map<string, string | Failure>> {
  const found = new Map<string, string | Failure>();
  const search: Search = { deleted, unshown: new Set(), near: new Map() };
  let open = [...new Set(texts)].flatMap((text) => {
    const attempts = orFailure(() => attemptsFor(resource, text.slice(1), orId));
    if (attempts instanceof Failure) found.set(text, attempts);
    return attempts instanceof Failure ? [] : { text, attempts };
  });
  for (let round = 0; open.length > 0; round++) {
    const here = open.flatMap(({ text, attempts }) => {
      const attempt = attempts[round];
      return attempt ? [{ text, attempt }] : [];
    });
    const matches = await matchesOf(
      lists,
      resource,
      here.map(({ attempt }) => attempt),
      search,
    );
    for (const { text, attempt } of here) {
      const [row, ...others] = matches.get(attempt) ?? [];
      if (row === undefined) continue;
      if (others.length > 0) found.set(text, ambiguous(resource, text, [row, ...others]));
      else if (typeof row.id === 'string' && row.id !== '') found.set(text, row.id);
      else
        found.set(
          text,
          new Failure('unavailable', `The service doesn't return an ID for the ${resource.noun} ${text}.`),
        );
    }
    open = open.filter(({ text }) => !found.has(text));
    const ended = open.filter((each) => each.attempts.length <= round + 1);
    if (!deleted) await noteOtherZeros(lists, resource, ended, search.near);
    for (const { text, attempts } of ended) found.set(text, missing(resource, text, attempts, search));
    open = open.filter(({ text }) => !found.has(text));
  }
  return found;
}

function orFailure<Value>(work: () => Value): Value | Failure {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Returns the attempts: by FIELD if it is a filter, else by every part of the natural key that fits. */
function attemptsFor(resource: Resource, text: string, orId: boolean): Attempt[] {
  if (text === '') throw usage('Expected a name after the @.');
  if (!resource.list) throw usage(`${capitalized(resource.nouns)} can't be looked up: use the ID.`);
  const [, name, value = ''] = /^([^:]+):(.*)$/s.exec(text) ?? [];
  const filter = resource.filters.find((candidate) => candidate.name === name);
  if (filter) return [readAttempt(resource, text, filter, value)];
  if (resource.key.length === 0) {
    throw usage(`${capitalized(resource.nouns)} have no name to look up: use the ID.`, {
      hint: boh.hint`To list their IDs: ${boh.account(`${resource.command} list`)}`,
    });
  }
  const keys = resource.filters.filter((candidate) => resource.key.includes(candidate.name));
  const inOrder = resource.key.flatMap((key) => keys.find((candidate) => candidate.name === key) ?? []);
  const fitting = inOrder.filter((candidate) => canContain(candidate.value, text));
  const likely = byLikelihood(resource, fitting.length > 0 ? fitting : inOrder, text);
  const byId = orId ? resource.filters.filter(({ name }) => name === 'id') : [];
  // Ids are found a hundred at a time, parts of names one by one.
  const isQuick = ({ match }: Filter) => match === 'equals';
  const all = orId ? [...likely.filter(isQuick), ...byId, ...likely.filter((it) => !isQuick(it))] : likely;
  return all.map((candidate) => ({ filter: candidate, value: text }));
}

function readAttempt(resource: Resource, text: string, filter: Filter, value: string): Attempt {
  if (!canBeCompared(filter)) {
    throw usage(`@${text}: records can't be looked up by ${filter.name}.`, {
      hint: boh.hint`Use the ID. To list IDs: ${boh.account(`${resource.command} list`)}`,
    });
  }
  const read = readFilter(filter, value, new Date());
  if (read.problem === undefined) return { filter, value: String(read.value) };
  throw usage(`@${text}: ${filter.name} ${read.problem}.`);
}

/** Returns whether answers show the filtered field, so that rows can be compared. */
function canBeCompared({ match, on }: Filter): boolean {
  return on !== undefined && (match === 'equals' || match === 'contains');
}

/** Orders filters so that a text with several words is searched for as a name first, which saves a request. */
function byLikelihood({ title }: Resource, filters: readonly Filter[], text: string): readonly Filter[] {
  const isTitle = ({ name }: Filter) => name === title;
  return /\p{L}\s/u.test(text)
    ? [...filters.filter(isTitle), ...filters.filter((it) => !isTitle(it))]
    : filters;
}

function ambiguous(resource: Resource, text: string, found: readonly Row[]): Failure {
  return usage(`${text} matches ${severalText(resource, found)}.`, {
    hint: 'Use the ID of one of them.',
    lookup: { text, isNear: true },
  });
}

function missing(
  resource: Resource,
  text: string,
  attempts: readonly Attempt[],
  { deleted, unshown, near }: Search,
): Failure {
  const { noun, nouns, command } = resource;
  const tried = attempts.map(({ filter }) => filter.name).join(', then by ');
  const hidden = attempts.filter(({ filter }) => unshown.has(filter.name)).map(({ filter }) => filter.name);
  const why =
    hidden.length > 0
      ? ` The service doesn't return ${hidden.join(' and ')}, so records can't be found by it.`
      : '';
  const rows = attempts.flatMap(({ value }) => near.get(value) ?? []);
  // The same record is near by each of the filters that it was looked for by.
  const similar = [...new Set(rows.map((row) => calledBy(resource, row)))].slice(0, 3);
  const suggestion = similar.length === 0 ? '' : ` Did you mean ${listed(similar)}?`;
  return new Failure(
    'not_found',
    `${capitalized(`${deleted ? 'deleted ' : ''}${noun}`)} ${text} not found.${why}${suggestion}`,
    {
      hint: boh.hint`Searched by ${tried}. To list ${nouns}: ${boh.account(`${command} list`)}`,
      lookup: { text, isNear: rows.length > 0 },
    },
  );
}

function listed(names: readonly string[]): string {
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : names.join('');
}

/** Returns one failure for several; ambiguous names take precedence over missing ones. */
export function together(failures: readonly Failure[], resource: Resource | undefined): Failure {
  const [first] = failures;
  if (first && failures.length === 1) return first;
  const worst = failures.find(({ category }) => category !== 'not_found') ?? first;
  const details = resource
    ? { hint: boh.hint`To list ${resource.nouns}: ${boh.account(`${resource.command} list`)}` }
    : worst?.details;
  const message = failures.map((each) => each.message).join(' ');
  return new Failure(worst?.category ?? 'not_found', message, details);
}

/** The maximum number of pages of a look-up: a text with more matches isn't a name. */
const maxPages = 10;

/** One search: a filter with its value. */
export interface Attempt {
  filter: Filter;
  value: string;
}

/** The matching rows of each attempt. */
export type Matches = Map<Attempt, Row[]>;

export interface Search {
  deleted: boolean;
  /** Filters whose fields answers don't show, so that rows can't be compared. */
  unshown: Set<string>;
  /** Rows that contain the value: the user may have meant one of them. */
  near: Map<string, Row[]>;
}

/** Returns the rows that match each attempt, no row twice. */
async function matchesOf(
  lists: Lists,
  resource: Resource,
  attempts: readonly Attempt[],
  { deleted, unshown, near }: Search,
): Promise<Matches> {
  const matches: Matches = new Map();
  const byFilter = Map.groupBy(attempts, ({ filter }) => filter);
  const asks = [...byFilter].map(([filter, own]) => ({
    by: filter.on ?? filter.name,
    filter,
    values: own.map(({ value }) => value),
  }));
  const include = [...new Set([...byFilter.keys()].flatMap(included))];
  const seen = new Set<unknown>();
  const wanted = { resource, asks, include, deletedOnly: deleted, maxPages };
  for await (const rows of findRecords(lists, wanted)) {
    for (const filter of byFilter.keys())
      if (rows.some((row) => shownBy(filter, row) === undefined)) unshown.add(filter.name);
    for (const row of rows) {
      if (seen.has(row.id)) continue;
      seen.add(row.id);
      for (const attempt of attempts) {
        if (answers(attempt, row)) matches.set(attempt, [...(matches.get(attempt) ?? []), row]);
        else if (isNear(attempt, row)) near.set(attempt.value, [...(near.get(attempt.value) ?? []), row]);
      }
    }
  }
  return matches;
}

/** Returns the relation to include: lists of relations are shown only if requested. */
function included({ name, on, value }: Filter): string[] {
  return name.includes('.') && on !== undefined && value.traits.includable ? [on] : [];
}

/** Returns a row's value of the filtered field; undefined if the row doesn't show it. */
function shownBy({ on = '', value: { kind } }: Filter, row: Row): unknown {
  if (Object.hasOwn(row, on)) return row[on];
  return kind === 'one' && Object.hasOwn(row, `${on}_id`) ? row[`${on}_id`] : undefined;
}

/** Returns whether a row contains the value, as services match names, or as a phone number in another spelling. */
function isNear({ filter, value }: Attempt, row: Row): boolean {
  const shown = shownBy(filter, row);
  if (typeof shown !== 'string') return false;
  if (filter.value.traits.form === 'phone') return isSimilarPhone(shown, value);
  return (
    filter.match === 'contains' && shown.normalize().toLowerCase().includes(value.normalize().toLowerCase())
  );
}

/** Returns whether a row has the value, however the service interprets the filter. */
function answers({ filter, value }: Attempt, row: Row): boolean {
  const shown = shownBy(filter, row);
  if (shown === undefined || shown === null) return false;
  return Array.isArray(shown)
    ? shown.some((item) => isSame(filter.value, isRow(item) ? item.id : item, value))
    : isSame(filter.value, isRow(shown) ? shown.id : shown, value);
}

/** Returns whether a shown value equals the text: texts as a whole, numbers and booleans in their query form. */
function isSame(field: Field, shown: unknown, value: string): boolean {
  if (typeof shown === 'string') return keyForm(field, shown) === keyForm(field, value);
  if (typeof shown === 'boolean') return String(shown) === value || (shown ? '1' : '0') === value;
  return typeof shown === 'number' && value.split(',').includes(String(shown));
}

/**
 * Returns whether a row may have the value; false if the service ignored the filter. Case and accents are ignored.
 */
export function mayAnswer({ filter, value }: Attempt, row: Row): boolean {
  const shown = shownBy(filter, row);
  if (filter.match !== 'equals' || shown === undefined) return true;
  const isText = typeof shown === 'string';
  const folded = isText ? { [filter.on ?? '']: fold(shown) } : row;
  return [value, ...value.split(',')].some((one) =>
    answers({ filter, value: isText ? fold(one) : one }, folded),
  );
}

function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
}
