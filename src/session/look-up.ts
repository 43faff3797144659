/** `@NAME` and `@FIELD:VALUE`: records found by what people call them, each exactly one or none, many at a time. */
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
  /** Look among deleted records: for `restore`. */
  deleted?: boolean;
  /** What stands behind the @ may also be an id: files hold the one or the other. */
  orId?: boolean;
}

/**
 * The ids of the records that look-ups name, by look-up. One filter with a comma list finds a hundred of them. Every
 * row is compared with what was asked, as a service may ignore a filter that it doesn't know. Look-ups without a record
 * have a failure: `not_found`, or `usage` if several match or the resource can't be asked.
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

/** Looks up in any lists, such as those of a mirror. */
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

/** `@FIELD:VALUE` where FIELD is a filter of the list; else every part of the natural key that the value can be. */
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

/** Whether the answer shows what the filter looks at, so that a row can be compared with it. */
function canBeCompared({ match, on }: Filter): boolean {
  return on !== undefined && (match === 'equals' || match === 'contains');
}

/** Words are a name rather than a code: asked for first, it takes one request and not two. */
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

/** Pages that a look-up reads before it gives up: what matches more is no name. */
const maxPages = 10;

/** One way to ask: a filter with its value as it is given. */
export interface Attempt {
  filter: Filter;
  value: string;
}

/** What was found for each. */
export type Matches = Map<Attempt, Row[]>;

export interface Search {
  deleted: boolean;
  /** Filters whose fields the answers don't show: nothing could be compared with them. */
  unshown: Set<string>;
  /** Rows that hold a value as a part of what it was looked for in: the user may have meant one of them. */
  near: Map<string, Row[]>;
}

/** The rows that match each of the attempts, no row twice. */
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

/** Relations to many are shown only where they are asked for. */
function included({ name, on, value }: Filter): string[] {
  return name.includes('.') && on !== undefined && value.traits.includable ? [on] : [];
}

/** What a row shows of the field that the filter looks at; undefined where it shows nothing of it. */
function shownBy({ on = '', value: { kind } }: Filter, row: Row): unknown {
  if (Object.hasOwn(row, on)) return row[on];
  return kind === 'one' && Object.hasOwn(row, `${on}_id`) ? row[`${on}_id`] : undefined;
}

/** Whether a row holds a part of what was asked for, as services match names, or a phone number that is written otherwise. */
function isNear({ filter, value }: Attempt, row: Row): boolean {
  const shown = shownBy(filter, row);
  if (typeof shown !== 'string') return false;
  if (filter.value.traits.form === 'phone') return isSimilarPhone(shown, value);
  return (
    filter.match === 'contains' && shown.normalize().toLowerCase().includes(value.normalize().toLowerCase())
  );
}

/** Whether a row is what was asked for, whatever the service takes the filter to mean. */
function answers({ filter, value }: Attempt, row: Row): boolean {
  const shown = shownBy(filter, row);
  if (shown === undefined || shown === null) return false;
  return Array.isArray(shown)
    ? shown.some((item) => isSame(filter.value, isRow(item) ? item.id : item, value))
    : isSame(filter.value, isRow(shown) ? shown.id : shown, value);
}

/** A record is named only by the whole of a text; numbers and yes or no stand in queries as their text. */
function isSame(field: Field, shown: unknown, value: string): boolean {
  if (typeof shown === 'string') return keyForm(field, shown) === keyForm(field, value);
  if (typeof shown === 'boolean') return String(shown) === value || (shown ? '1' : '0') === value;
  return typeof shown === 'number' && value.split(',').includes(String(shown));
}

/**
 * Whether a row can be what a filter was asked for: false where it surely isn't, so that the service has ignored
 * the filter. Letters may differ in case and accents, as services compare them.
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
