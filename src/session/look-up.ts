/** `@NAME` and `@FIELD:VALUE`: records found by what people call them, each exactly one or none, many at a time. */
import type { Client } from '../client/client.ts';
import { isRow, type Row } from '../client/shape.ts';
import type { Filter } from '../contract/filter.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { readFilter } from '../contract/text.ts';
import { Failure, usage } from '../errors.ts';
import { isDeleted } from './list.ts';

/** Pages that a look-up reads before it gives up: what matches more is no name. */
const mostPages = 10;

/** Candidates that are shown where several match. */
const mostShown = 10;

/** Values of one request, and the characters that they may take in its address. */
const mostValues = 100;
const mostCharacters = 4_000;

export function isLookup(id: string): boolean {
  return id.startsWith('@');
}

export interface LookupOptions {
  /** Look among deleted records: for `restore`. */
  deleted?: boolean;
}

/**
 * The ids of the records that look-ups name, by look-up. One filter with a comma list finds a hundred of them. Every
 * row is held against what was asked, as a service may pass over a filter that it doesn't know. Throws one failure for
 * all that can't be found: `not_found` where nothing matches, `usage` where several do or the resource can't be asked.
 */
export async function lookUpAll(
  client: Client,
  resource: Resource,
  texts: readonly string[],
  { deleted = false }: LookupOptions = {},
): Promise<Map<string, string>> {
  const asked = [...new Set(texts)].map((text) => ({ text, attempts: attemptsFor(resource, text.slice(1)) }));
  const found = new Map<string, string>();
  const failures: Failure[] = [];
  const unshown = new Set<string>();
  const reader = rowReader(client, resource, { deleted, unshown });
  let open = asked;
  for (let round = 0; open.length > 0; round++) {
    const here = open.flatMap(({ text, attempts }) => {
      const attempt = attempts[round];
      return attempt ? [{ text, attempt }] : [];
    });
    const matches = await reader(here.map(({ attempt }) => attempt));
    for (const { text, attempt } of here) {
      const [row, ...others] = matches.get(attempt) ?? [];
      if (row === undefined) continue;
      if (others.length > 0) failures.push(ambiguous(resource, text, [row, ...others]));
      else if (typeof row.id === 'string' && row.id !== '') found.set(text, row.id);
      else
        failures.push(
          new Failure('unavailable', `The service shows no id for the ${resource.noun} ${text}.`),
        );
      open = open.filter((each) => each.text !== text);
    }
    const exhausted = open.filter(({ attempts }) => attempts.length <= round + 1);
    failures.push(
      ...exhausted.map(({ text, attempts }) => missing(resource, text, attempts, { deleted, unshown })),
    );
    open = open.filter((each) => !exhausted.includes(each));
  }
  if (failures.length > 0) throw together(resource, failures);
  return found;
}

/** The id of the one record that a look-up names. Throws as `lookUpAll` does. */
export async function lookUp(
  client: Client,
  resource: Resource,
  text: string,
  options: LookupOptions = {},
): Promise<string> {
  return (await lookUpAll(client, resource, [text], options)).get(text) ?? '';
}

/** One way to ask: a filter with its value as it goes out. */
interface Attempt {
  filter: Filter;
  value: string;
}

/** `@FIELD:VALUE` where FIELD is a filter of the list; else every part of the natural key that the value can be. */
function attemptsFor(resource: Resource, text: string): Attempt[] {
  if (text === '') throw usage('A look-up needs a name after the @.');
  if (!resource.list) throw usage(`${capital(resource.nouns)} can’t be looked up: give the id.`);
  const [, name, value = ''] = /^([^:]+):(.*)$/s.exec(text) ?? [];
  const filter = resource.filters.find((candidate) => candidate.name === name);
  if (filter) return [readAttempt(resource, text, filter, value)];
  if (resource.key.length === 0) {
    throw usage(`${capital(resource.nouns)} have no name to look up: give the id.`, {
      hint: `Ids are shown by: boh ${resource.command} list`,
    });
  }
  const keys = resource.filters.filter((candidate) => resource.key.includes(candidate.name));
  const inOrder = resource.key.flatMap((key) => keys.find((candidate) => candidate.name === key) ?? []);
  const fitting = inOrder.filter((candidate) => couldBe(candidate, text));
  return byLikelihood(resource, fitting.length > 0 ? fitting : inOrder, text).map((candidate) => ({
    filter: candidate,
    value: text,
  }));
}

function readAttempt(resource: Resource, text: string, filter: Filter, value: string): Attempt {
  if (!canBeHeld(filter)) {
    throw usage(`@${text}: what ${filter.name} answers can’t be held against it, so it names no record.`, {
      hint: `Give the id: boh ${resource.command} list shows it.`,
    });
  }
  const read = readFilter(filter, value, new Date());
  if (read.problem === undefined) return { filter, value: String(read.value) };
  throw usage(`@${text}: ${filter.name} ${read.problem}.`);
}

/** Words are a name rather than a code: asked for first, it takes one request and not two. */
function byLikelihood({ title }: Resource, filters: readonly Filter[], text: string): readonly Filter[] {
  const isTitle = ({ name }: Filter) => name === title;
  return /\p{L}\s/u.test(text)
    ? [...filters.filter(isTitle), ...filters.filter((it) => !isTitle(it))]
    : filters;
}

/** Spares requests that can't match: an email address has an @, a phone number no letters. */
function couldBe({ value: { traits } }: Filter, text: string): boolean {
  if (traits.form === 'email') return text.includes('@');
  return traits.form !== 'phone' || /^[\d\s()+-]+$/.test(text);
}

type Matches = Map<Attempt, Row[]>;

interface Search {
  deleted: boolean;
  /** Filters whose fields the answers don't show: nothing could be held against them. */
  unshown: Set<string>;
}

/** Reads the rows that match attempts, in as few requests as the kinds of filter allow. */
function rowReader(
  client: Client,
  resource: Resource,
  { deleted, unshown }: Search,
): (attempts: readonly Attempt[]) => Promise<Matches> {
  const list = operation(resource, 'list');
  const state = deleted ? { is_deleted: 'true' } : undefined;

  async function* pages(filters: Record<string, string>, include: readonly string[]) {
    if (list) yield* client.pages({ operation: list, query: { filters: { ...filters, ...state }, include } });
  }

  /** Those of the attempts that a row answers to. */
  function keep(matches: Matches, attempts: readonly Attempt[], row: Row): void {
    const isHere = !deleted || isDeleted(row);
    for (const attempt of attempts) {
      if (isHere && answers(attempt, row)) matches.set(attempt, [...(matches.get(attempt) ?? []), row]);
    }
  }

  /** All of them in one request. What lies beyond the pages that are read could match as well. */
  async function readTogether(matches: Matches, attempts: readonly Attempt[]): Promise<void> {
    const [{ filter } = { filter: undefined }] = attempts;
    if (!filter) return;
    const value = attempts.map((attempt) => attempt.value).join(',');
    let count = 0;
    for await (const { rows } of pages({ [filter.name]: value }, included(filter))) {
      if (count++ >= mostPages) {
        const names = attempts.map((attempt) => `@${attempt.value}`).join(', ');
        throw usage(`${names} is part of too many names.`, { hint: 'Give the id.' });
      }
      if (rows.some((row) => shownBy(filter, row) === undefined)) unshown.add(filter.name);
      for (const row of rows) keep(matches, attempts, row);
    }
  }

  /** Names are matched by a part of them, one a request, unless the whole list takes fewer requests. */
  async function readOneByOne(matches: Matches, attempts: readonly Attempt[]): Promise<void> {
    if (attempts.length > 2 && (await readWholeList(matches, attempts))) return;
    for (const attempt of attempts) await readTogether(matches, [attempt]);
  }

  /** False where the list is longer than that, or doesn't say how long it is. */
  async function readWholeList(matches: Matches, attempts: readonly Attempt[]): Promise<boolean> {
    const rows: Row[] = [];
    for await (const page of pages({}, [])) {
      if (page.lastPage === undefined || page.lastPage >= attempts.length) return false;
      rows.push(...page.rows);
    }
    for (const row of rows) keep(matches, attempts, row);
    return true;
  }

  return async (attempts) => {
    const matches: Matches = new Map();
    for (const group of Object.values(Object.groupBy(attempts, ({ filter }) => filter.name))) {
      const apart = (group ?? []).filter(
        ({ filter, value }) => filter.match !== 'equals' || value.includes(','),
      );
      const batches = batchesOf((group ?? []).filter((attempt) => !apart.includes(attempt)));
      for (const batch of batches) await readTogether(matches, batch);
      await readOneByOne(matches, apart);
    }
    return matches;
  };
}

function batchesOf(attempts: readonly Attempt[]): Attempt[][] {
  const batches: Attempt[][] = [];
  let room = 0;
  for (const attempt of attempts) {
    const length = encodeURIComponent(attempt.value.toWellFormed()).length + 1;
    const last = batches.at(-1);
    if (last && last.length < mostValues && length <= room) last.push(attempt);
    else batches.push([attempt]);
    room = (last === batches.at(-1) ? room : mostCharacters) - length;
  }
  return batches;
}

/** Relations to many are shown only where they are asked for. */
function included({ name, on, value }: Filter): string[] {
  return name.includes('.') && on !== undefined && value.traits.includable ? [on] : [];
}

/** Whether the answer shows what the filter looks at, so that a row can be held against it. */
function canBeHeld({ match, on }: Filter): boolean {
  return on !== undefined && (match === 'equals' || match === 'contains');
}

/** What a row shows of the field that the filter looks at; undefined where it shows nothing of it. */
function shownBy({ on = '', value: { kind } }: Filter, row: Row): unknown {
  if (Object.hasOwn(row, on)) return row[on];
  return kind === 'one' && Object.hasOwn(row, `${on}_id`) ? row[`${on}_id`] : undefined;
}

/** Whether a row is what was asked for, whatever the service takes the filter to mean. */
function answers({ filter, value }: Attempt, row: Row): boolean {
  const shown = shownBy(filter, row);
  if (shown === undefined || shown === null) return false;
  return Array.isArray(shown)
    ? shown.some((item) => isSame(isRow(item) ? item.id : item, value))
    : isSame(isRow(shown) ? shown.id : shown, value);
}

/** A record is named only by the whole of a text; numbers and yes or no stand in queries as their text. */
function isSame(shown: unknown, value: string): boolean {
  if (typeof shown === 'string') return shown.normalize() === value.normalize();
  if (typeof shown === 'boolean') return String(shown) === value || (shown ? '1' : '0') === value;
  return typeof shown === 'number' && value.split(',').includes(String(shown));
}

function ambiguous(resource: Resource, text: string, found: readonly Row[]): Failure {
  const { title } = resource;
  const shown = found
    .slice(0, mostShown)
    .map((row) => [row.id, title && row[title]].filter((part) => typeof part === 'string'))
    .map(([id, name]) => (name === undefined ? id : `${id} (${name})`));
  const rest = found.length > shown.length ? ` and ${found.length - shown.length} more` : '';
  return usage(`${text} names ${found.length} ${resource.nouns}: ${shown.join(', ')}${rest}.`, {
    hint: 'Give the id of the one you mean.',
  });
}

function missing(
  { noun, command }: Resource,
  text: string,
  attempts: readonly Attempt[],
  { deleted, unshown }: Search,
): Failure {
  const tried = attempts.map(({ filter, value }) => `${filter.name} "${value}"`).join(', then ');
  const hidden = attempts.filter(({ filter }) => unshown.has(filter.name)).map(({ filter }) => filter.name);
  const why =
    hidden.length > 0
      ? ` The service doesn’t show ${hidden.join(' and ')}, so nothing could be held against it.`
      : '';
  return new Failure('not_found', `There is no ${deleted ? 'deleted ' : ''}${noun} ${text}.${why}`, {
    hint: `Looked for ${tried}. See: boh ${command} list`,
  });
}

/** One failure for all of them; what is ambiguous weighs more than what isn't there. */
function together({ command }: Resource, failures: readonly Failure[]): Failure {
  const [first] = failures;
  if (first && failures.length === 1) return first;
  const worst = failures.find(({ category }) => category !== 'not_found') ?? failures[0];
  return new Failure(worst?.category ?? 'not_found', failures.map(({ message }) => message).join(' '), {
    hint: `See: boh ${command} list`,
  });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
