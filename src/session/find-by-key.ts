/** Finds the one record with the values of a key: among active records, else among deleted ones. */
import { Failure, usage } from '../base/errors.ts';
import { didYouMean } from '../base/suggest.ts';
import { keyFields } from '../contract/composite.ts';
import { deletedFilter } from '../contract/filter.ts';
import { shownWithInclude } from '../contract/include.ts';
import { keyForm } from '../contract/key-form.ts';
import { type BodyField, type Operation, operation } from '../contract/operation.ts';
import { withCallingCode } from '../contract/phone-form.ts';
import type { Resource } from '../contract/resource.ts';
import { capitalized } from '../contract/wording.ts';
import { isSame } from './diff/values.ts';
import { filterForKey, findRecords } from './find-records.ts';
import { isDeleted, type Lists } from './list.ts';
import { bodyFrom } from './record-body.ts';
import { candidatesText, keyValue } from './record-key.ts';
import type { Row } from './row.ts';
import type { Session } from './session.ts';
import { isSimilarKey } from './similar-keys.ts';

/**
 * Returns the fields of a key. The default is the first field with a value in the body that the document calls
 * unique; without a body, any unique field. Throws `usage` if there is none, or no such field, or no value.
 */
export function keyOf(resource: Resource, given: readonly string[] | undefined, body?: Row): BodyField[] {
  const fields = keyFields(creationOf(resource));
  const isGiven = ({ name }: BodyField) => body === undefined || (body[name] ?? '') !== '';
  if (given === undefined) {
    const unique = fields.filter(({ field }) => field.traits.unique);
    const first = unique.find(isGiven);
    if (first) return [first];
    throw usage(
      unique.length > 0
        ? `The ${resource.noun} can't be identified without ${names(unique)}.`
        : `${capitalized(resource.nouns)} have no unique field, so a key is needed.`,
      { hint: `Choose the field that identifies a record: --key FIELD, for example ${names(fields)}.` },
    );
  }
  const unknown = given.filter((name) => !fields.some((entry) => entry.name === name));
  if (unknown.length > 0 || given.length === 0) {
    throw usage(`${resource.command} can't be identified by ${unknown.join(', ') || 'an empty key'}.`, {
      hint: `--key takes: ${names(fields)}.${didYouMean(
        unknown[0] ?? '',
        fields.map(({ name }) => name),
      )}`,
    });
  }
  const key = fields.filter(({ name }) => given.includes(name));
  const missing = key.filter((entry) => !isGiven(entry));
  if (missing.length === 0) return key;
  throw usage(`The key has no value: ${names(missing)} is missing.`);
}

function names(fields: readonly BodyField[]): string {
  return fields.map(({ name }) => name).join(', ');
}

function creationOf(resource: Resource): Operation {
  const create = operation(resource, 'create');
  if (!create) throw usage(`The API has no ${resource.command} create.`);
  return create;
}

export interface FoundByKey {
  found: Row | undefined;
  /** Active records with a similar key, as far as the list has shown them. */
  near: readonly Row[];
}

/**
 * Finds the record with this key. `values` have the form of requests, and are compared with every row: filters match
 * parts of texts, and some services ignore unknown ones. Deleted records count if they can be restored. Throws
 * `usage` if several records match, and `unavailable` if the list doesn't show the key.
 */
export async function findByKey(
  session: Lists,
  resource: Resource,
  values: Row,
  key: readonly BodyField[],
): Promise<FoundByKey> {
  const active = await recordsByKey(session, resource, values, key, false);
  const isGone = active.found.length === 0 && resource.restore !== undefined;
  const { found } = isGone ? await recordsByKey(session, resource, values, key, true) : active;
  if (found.length > 1) throw ambiguous(resource, values, key, found);
  return { found: found[0], near: active.near };
}

/** Returns all records with the key, and those with a similar one: active or deleted ones. */
export async function recordsByKey(
  session: Lists,
  resource: Resource,
  values: Row,
  key: readonly BodyField[],
  deletedOnly: boolean,
): Promise<{ found: Row[]; near: Row[] }> {
  const shown = key.map((each) => each.shown);
  const by = filterForKey(resource, shown);
  const entry = key.find((each) => each.shown === by);
  const text = entry ? String(values[entry.name]) : '';
  const { dialCode } = entry?.field.traits ?? {};
  const dialed = dialCode === undefined ? [] : withCallingCode(text, values[dialCode]);
  const asks = by === undefined ? [] : [{ by, values: [text, ...dialed] }];
  const optional = shownWithInclude(resource, shown);
  const textsOf = (body: Row) => key.map(({ name }) => keyValue(body[name]) ?? '');
  const wantedTexts = textsOf(values);
  const [found, near] = [new Map<unknown, Row>(), new Map<unknown, Row>()];
  const wanted = { resource, asks, optional, deletedOnly, isWhole: asks.length === 0 };
  for await (const rows of findRecords(session, wanted)) {
    for (const row of rows) {
      const { body, unknown } = bodyFrom({ body: key }, row);
      if (unknown.length > 0) throw unshown(resource, unknown);
      if (isDeleted(row) !== deletedOnly) continue;
      if (key.every((each) => isSameKey(each, body[each.name], values[each.name]))) found.set(row.id, row);
      else if (isSimilarKey(key, textsOf(body), wantedTexts)) near.set(row.id, row);
    }
  }
  return { found: [...found.values()], near: [...near.values()] };
}

function isSameKey({ field }: BodyField, is: unknown, given: unknown): boolean {
  if (typeof is !== 'string' || typeof given !== 'string') return isSame(field, is, given);
  return keyForm(field, is) === keyForm(field, given);
}

function unshown({ nouns }: Resource, names: readonly string[]): Failure {
  return new Failure(
    'unavailable',
    `The list of ${nouns} doesn't show ${names.join(' and ')}, so boh can't check whether the record already exists.`,
    { hint: 'Choose another field with --key.', outcome: 'not_sent' },
  );
}

function ambiguous(
  resource: Resource,
  values: Row,
  key: readonly BodyField[],
  found: readonly Row[],
): Failure {
  const pairs = key.map(({ name }) => `${name} ${JSON.stringify(values[name])}`);
  const what = `${found.length} ${resource.nouns} have the ${pairs.join(' and ')}`;
  return usage(`${what}: ${candidatesText(resource, found)}.`, {
    hint: 'Add a field to --key that differs between them, or update the record by its id.',
  });
}

/** The wanted records of one resource by id, with relations to include. */
export interface WantedOf {
  ids: Set<string>;
  include: Set<string>;
}

export class WantedRecords {
  readonly #all = new Map<Resource, WantedOf>();

  of(resource: Resource): WantedOf {
    const own = this.#all.get(resource) ?? { ids: new Set(), include: new Set() };
    this.#all.set(resource, own);
    return own;
  }

  /** Reads the records, by `recordKey`. Records that no longer exist, not even as deleted ones, are missing. */
  async read(session: Session): Promise<Map<string, Row>> {
    const found = new Map<string, Row>();
    for (const [resource, { ids, include }] of this.#all) {
      await readAll(resource, [...ids], [...include], false, session, found);
      const missing = [...ids].filter((id) => !found.has(recordKey(resource, id)));
      if (deletedFilter(resource.filters))
        await readAll(resource, missing, [...include], true, session, found);
    }
    return found;
  }
}

export function recordKey({ name }: Pick<Resource, 'name'>, id: string): string {
  return JSON.stringify([name, id]);
}

async function readAll(
  resource: Resource,
  values: readonly string[],
  include: readonly string[],
  deletedOnly: boolean,
  session: Session,
  found: Map<string, Row>,
): Promise<void> {
  const wanted = new Set(values);
  const asks = [{ by: 'id', values }];
  for await (const rows of findRecords(session, { resource, asks, include, deletedOnly })) {
    for (const record of rows)
      if (wanted.has(String(record.id))) found.set(recordKey(resource, String(record.id)), record);
  }
}
