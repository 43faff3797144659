/** `@NAME` and `@FIELD:VALUE`: a record found by what people call it, exactly one or none. */

import type { Traits } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { readFilter } from '../contract/text.ts';
import { Failure, usage } from '../errors.ts';
import type { Client } from './client.ts';
import type { Row } from './shape.ts';

/** Pages that a look-up reads before it gives up: what matches more is no name. */
const mostPages = 10;

/** Candidates that are shown where several match. */
const mostShown = 10;

export function isLookup(id: string): boolean {
  return id.startsWith('@');
}

export interface LookupOptions {
  /** Look among deleted records: for `restore`. */
  deleted?: boolean;
}

/**
 * The id of the one record that a look-up names. Throws `not_found` where none matches, and a usage failure where
 * several do or where the resource can't be asked.
 */
export async function lookUp(
  client: Client,
  resource: Resource,
  text: string,
  { deleted = false }: LookupOptions = {},
): Promise<string> {
  const attempts = attemptsFor(resource, text.slice(1));
  for (const attempt of attempts) {
    const [first, ...others] = await matches(client, resource, attempt, { deleted, text });
    if (first === undefined) continue;
    if (others.length > 0) throw ambiguous(resource, text, [first, ...others]);
    if (typeof first.id === 'string' && first.id !== '') return first.id;
    throw new Failure('unavailable', `The service shows no id for the ${words(resource.one)} ${text}.`);
  }
  throw new Failure('not_found', `There is no ${deleted ? 'deleted ' : ''}${words(resource.one)} ${text}.`, {
    hint: `Looked for ${attempts.map(({ name, value }) => `${name} "${value}"`).join(', then ')}. See: boh ${resource.command} list`,
  });
}

/** One way to ask: a filter with its value as it goes out. */
interface Attempt {
  name: string;
  value: string;
}

/** `@FIELD:VALUE` where FIELD is a filter of the list; else every part of the natural key that the value can be. */
function attemptsFor(resource: Resource, text: string): Attempt[] {
  if (text === '') throw usage('A look-up needs a name after the @.');
  const [, field, value = ''] = /^([^:]+):(.*)$/s.exec(text) ?? [];
  const filter = resource.filters.find(({ name }) => name === field);
  if (filter) {
    const read = readFilter(filter, value, new Date());
    if (read.problem === undefined) return [{ name: filter.name, value: String(read.value) }];
    throw usage(`@${text}: ${filter.name} ${read.problem}.`);
  }
  if (resource.key.length === 0) {
    throw usage(`${words(resource.command)} have no name to look up: give the id.`, {
      hint: `Ids are shown by: boh ${resource.command} list`,
    });
  }
  const fitting = resource.key.filter((name) =>
    couldBe(resource.fields[name]?.traits ?? { kind: 'text' }, text),
  );
  return byLikelihood(fitting.length > 0 ? fitting : resource.key, text).map((name) => ({
    name,
    value: text,
  }));
}

/** Words are a name rather than a code: asked for first, it takes one request and not two. */
function byLikelihood(names: readonly string[], text: string): readonly string[] {
  return /\p{L}\s/u.test(text) && names.includes('name')
    ? ['name', ...names.filter((name) => name !== 'name')]
    : names;
}

/** Spares requests that can't match: an email address has an @, a phone number no letters. */
function couldBe({ form }: Traits, text: string): boolean {
  if (form === 'email') return text.includes('@');
  return form !== 'phone' || /^[\d\s()+-]+$/.test(text);
}

async function matches(
  client: Client,
  resource: Resource,
  { name, value }: Attempt,
  { deleted, text }: { deleted: boolean; text: string },
): Promise<Row[]> {
  const list = operation(resource, 'list');
  if (!list) throw usage(`${words(resource.command)} can’t be looked up: give the id.`);
  const filters = { [name]: value, ...(deleted && { is_deleted: 'true' }) };
  const found: Row[] = [];
  let pages = 0;
  for await (const { rows } of client.pages({ operation: list, query: { filters } })) {
    // What lies beyond could match as well, so that one match among these is not known to be the only one.
    if (pages++ === mostPages) throw usage(`${text} is part of too many names.`, { hint: 'Give the id.' });
    found.push(...rows.filter((row) => isExact(row, name, value) && (!deleted || row.deleted_at !== null)));
  }
  return found;
}

/** The service may match parts of a text; a record is named only by the whole. For all other kinds it is trusted. */
function isExact(row: Row, name: string, value: string): boolean {
  const shown = row[name];
  return typeof shown === 'string' ? shown.normalize() === value.normalize() : shown !== null;
}

function ambiguous(resource: Resource, text: string, found: readonly Row[]): Failure {
  const shown = found
    .slice(0, mostShown)
    .map(({ id, name, reference }) => [id, name ?? reference].filter((part) => typeof part === 'string'))
    .map(([id, name]) => (name === undefined ? id : `${id} (${name})`));
  const rest = found.length > shown.length ? ` and ${found.length - shown.length} more` : '';
  return usage(`${text} names ${found.length} ${words(resource.command)}: ${shown.join(', ')}${rest}.`, {
    hint: 'Give the id of the one you mean.',
  });
}

function words(kebab: string): string {
  return kebab.replaceAll('-', ' ');
}
