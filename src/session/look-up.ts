/** `@NAME` and `@FIELD:VALUE`: records found by what people call them, each exactly one or none, many at a time. */

import { Failure, usage } from '../base/errors.ts';
import type { Client } from '../client/client.ts';
import type { Row } from '../client/shape.ts';
import { capital } from '../contract/capital.ts';
import type { Filter } from '../contract/filter.ts';
import type { Resource } from '../contract/resource.ts';
import { readFilter } from '../contract/text.ts';
import type { Lists } from './find-records.ts';
import { readList } from './list.ts';
import { type Attempt, matchesOf, type Search } from './matching-rows.ts';
import { canHold, severalText } from './record-key.ts';

export { isLookup } from './names.ts';

export interface LookupOptions {
  /** Look among deleted records: for `restore`. */
  deleted?: boolean;
  /** What stands behind the @ may also be an id: files hold the one or the other. */
  orId?: boolean;
}

/**
 * The ids of the records that look-ups name, by look-up. One filter with a comma list finds a hundred of them. Every
 * row is held against what was asked, as a service may pass over a filter that it doesn't know. A failure stands in the
 * place of each that names none: `not_found` where nothing matches, `usage` where several do or the resource can't be
 * asked.
 */
export async function lookUpEach(
  client: Client,
  resource: Resource,
  texts: readonly string[],
  { deleted = false, orId = false }: LookupOptions = {},
): Promise<Map<string, string | Failure>> {
  const found = new Map<string, string | Failure>();
  const search: Search = { deleted, unshown: new Set(), near: new Map() };
  const lists: Lists = { list: (call, reach) => readList(client, call, reach), get: client.get };
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
          new Failure('unavailable', `The service shows no id for the ${resource.noun} ${text}.`),
        );
    }
    open = open.filter(({ text }) => !found.has(text));
    for (const { text, attempts } of open.filter((each) => each.attempts.length <= round + 1))
      found.set(text, missing(resource, text, attempts, search));
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
  const fitting = inOrder.filter((candidate) => canHold(candidate.value, text));
  const likely = byLikelihood(resource, fitting.length > 0 ? fitting : inOrder, text);
  const byId = orId ? resource.filters.filter(({ name }) => name === 'id') : [];
  // Ids are found a hundred at a time, parts of names one by one.
  const isQuick = ({ match }: Filter) => match === 'equals';
  const all = orId ? [...likely.filter(isQuick), ...byId, ...likely.filter((it) => !isQuick(it))] : likely;
  return all.map((candidate) => ({ filter: candidate, value: text }));
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

/** Whether the answer shows what the filter looks at, so that a row can be held against it. */
function canBeHeld({ match, on }: Filter): boolean {
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
  return usage(`${text} names ${severalText(resource, found)}.`, {
    hint: 'Give the id of the one you mean.',
    lookup: { text, isNear: true },
  });
}

function missing(
  resource: Resource,
  text: string,
  attempts: readonly Attempt[],
  { deleted, unshown, near }: Search,
): Failure {
  const { noun, command } = resource;
  const tried = attempts.map(({ filter, value }) => `${filter.name} "${value}"`).join(', then ');
  const hidden = attempts.filter(({ filter }) => unshown.has(filter.name)).map(({ filter }) => filter.name);
  const why =
    hidden.length > 0
      ? ` The service doesn’t show ${hidden.join(' and ')}, so nothing could be held against it.`
      : '';
  const rows = attempts.flatMap(({ value }) => near.get(value) ?? []);
  // The same record is near by each of the filters that it was looked for by.
  const meant = [...new Set(rows.map((row) => calledBy(resource, row)))].slice(0, 3);
  const asked = meant.length === 0 ? '' : ` Did you mean ${listed(meant)}?`;
  return new Failure('not_found', `There is no ${deleted ? 'deleted ' : ''}${noun} ${text}.${why}${asked}`, {
    hint: `Looked for ${tried}. See: boh ${command} list`,
    lookup: { text, isNear: rows.length > 0 },
  });
}

/** `Huda Al-Amin (510000000)`: with what else the record can be named by. */
function calledBy({ title = '', key }: Resource, row: Row): string {
  const name = row[title];
  const code = key
    .map((field) => row[field])
    .find((value) => value !== name && value != null && value !== '');
  return typeof name === 'string' ? `${name} (${String(code ?? row.id)})` : String(row.id);
}

function listed(names: readonly string[]): string {
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : names.join('');
}

/** One failure for all of them; what is ambiguous weighs more than what isn't there. */
export function together({ command }: Resource, failures: readonly Failure[]): Failure {
  const [first] = failures;
  if (first && failures.length === 1) return first;
  const worst = failures.find(({ category }) => category !== 'not_found') ?? failures[0];
  return new Failure(worst?.category ?? 'not_found', failures.map(({ message }) => message).join(' '), {
    hint: `See: boh ${command} list`,
  });
}
