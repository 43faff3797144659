/** `@NAME` and `@FIELD:VALUE`: a record found by what people call it, exactly one or none. */
import type { Field } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { Failure, usage } from '../errors.ts';
import type { Row } from './answer.ts';
import type { Client } from './client.ts';

/** Pages that a look-up reads before it gives up: a name that matches more is no name. */
const mostPages = 10;

export function isLookup(id: string): boolean {
  return id.startsWith('@');
}

export interface LookupOptions {
  /** Look among deleted records: for `restore`. */
  deleted?: boolean;
}

/** The id of the one record that a look-up names. Throws where none or several match, or it can't be asked. */
export async function lookUp(
  client: Client,
  resource: Resource,
  text: string,
  { deleted = false }: LookupOptions = {},
): Promise<string> {
  const attempts = attemptsFor(resource, text.slice(1));
  for (const { name, value } of attempts) {
    const found = await matches(client, resource, name, value, deleted);
    if (found.length === 1) return String(found[0]?.id);
    if (found.length > 1) throw ambiguous(resource, text, found);
  }
  throw new Failure('not_found', `There is no ${deleted ? 'deleted ' : ''}${words(resource.one)} ${text}.`, {
    hint: `Looked for ${attempts.map(({ name, value }) => `${name} "${value}"`).join(', then ')}. See: boh ${resource.command} list`,
  });
}

interface Attempt {
  name: string;
  value: string;
}

/** `@FIELD:VALUE` where FIELD is a filter of the list; else every part of the natural key that the value can be. */
function attemptsFor(resource: Resource, text: string): Attempt[] {
  const colon = text.indexOf(':');
  const named =
    colon > 0 ? resource.list?.filters.find(({ name }) => name === text.slice(0, colon)) : undefined;
  if (named) return [{ name: named.name, value: text.slice(colon + 1) }];
  if (text === '') throw usage('A look-up needs a name after the @.');
  if (resource.key.length === 0) {
    throw usage(`${words(resource.command)} have no name to look up: give the id.`, {
      hint: `Ids are shown by: boh ${resource.command} list`,
    });
  }
  const fitting = resource.key.filter((name) => couldBe(name, resource.fields[name], text));
  return (fitting.length > 0 ? fitting : resource.key).map((name) => ({ name, value: text }));
}

/** Spares requests that can't match: an email has an @, a phone no letters. */
function couldBe(name: string, field: Field | undefined, text: string): boolean {
  if (name === 'email') return text.includes('@');
  if (name === 'phone') return /^[\d\s()+-]+$/.test(text);
  return field !== undefined;
}

async function matches(
  client: Client,
  resource: Resource,
  name: string,
  value: string,
  deleted: boolean,
): Promise<Row[]> {
  const list = operation(resource, 'list');
  if (!list) throw usage(`${words(resource.command)} can’t be looked up: give the id.`);
  const filters = { [name]: value, ...(deleted && { is_deleted: 'true' }) };
  const found: Row[] = [];
  let pages = 0;
  for await (const { rows } of client.pages({ operation: list, query: { filters } })) {
    found.push(...rows.filter((row) => isExact(row, name, value)));
    if (++pages >= mostPages) break;
  }
  return found;
}

/** The service may match parts of a text; a record is named only by the whole. A filter that is no field is trusted. */
function isExact(row: Row, name: string, value: string): boolean {
  if (!(name in row)) return true;
  return String(row[name]).normalize() === value.normalize();
}

function ambiguous(resource: Resource, text: string, found: Row[]): Failure {
  const shown = found
    .slice(0, 10)
    .map((row) => `${String(row.id)} (${String(row.name ?? row.reference ?? '')})`);
  const rest = found.length > shown.length ? ` and ${found.length - shown.length} more` : '';
  return usage(`${text} names ${found.length} ${words(resource.command)}: ${shown.join(', ')}${rest}.`, {
    hint: 'Give the id of the one you mean.',
  });
}

function words(kebab: string): string {
  return kebab.replaceAll('-', ' ');
}
