/** Finds the record with the values of a key, first among active records, then among deleted ones. */
import { Failure, usage } from '../base/errors.ts';
import { didYouMean } from '../base/suggest.ts';
import { keyFields } from '../contract/composite.ts';
import { deletedFilter } from '../contract/filter.ts';
import { fieldsToInclude } from '../contract/include.ts';
import { normalizeKey } from '../contract/key-form.ts';
import { type BodyField, type Operation, operation } from '../contract/operation.ts';
import { withCallingCode } from '../contract/phone-form.ts';
import type { Resource } from '../contract/resource.ts';
import { capitalize } from '../contract/wording.ts';
import { isSameValue } from './diff/values.ts';
import { filterForKey, findRecords } from './find-records.ts';
import { isDeleted, type Lists } from './list.ts';
import { bodyFrom } from './record-body.ts';
import { formatCandidates, keyValue } from './record-key.ts';
import type { Row } from './row.ts';
import type { Session } from './session.ts';
import { isSimilarKey } from './similar-keys.ts';

/**
 * Returns the fields of a key. The default is the first field with a value in the body that is unique by the API
 * document; without a body, any unique field. Throws `usage` if there is none, for unknown fields and for missing values.
 */
export function resolveKeyFields(
  resource: Resource,
  given: readonly string[] | undefined,
  body?: Row,
): BodyField[] {
  const fields = keyFields(createOperation(resource));
  const hasValue = ({ name }: BodyField) => body === undefined || (body[name] ?? '') !== '';
  if (given === undefined) {
    const unique = fields.filter(({ field }) => field.traits.unique);
    const first = unique.find(hasValue);
    if (first) return [first];
    throw usage(
      unique.length > 0
        ? `The ${resource.noun} can't be identified without ${names(unique)}.`
        : `${capitalize(resource.nouns)} have no unique field, so a key is needed.`,
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
  const missing = key.filter((entry) => !hasValue(entry));
  if (missing.length === 0) return key;
  throw usage(`The key has no value: ${names(missing)} is missing.`);
}

function names(fields: readonly BodyField[]): string {
  return fields.map(({ name }) => name).join(', ');
}

function createOperation(resource: Resource): Operation {
  const create = operation(resource, 'create');
  if (!create) throw usage(`The API has no ${resource.command} create.`);
  return create;
}

/** The record with a key, if it exists. */
export interface KeyMatch {
  found: Row | undefined;
  /** The active records with a similar key that the list has shown. */
  similar: readonly Row[];
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
): Promise<KeyMatch> {
  const active = await findAllByKey(session, resource, values, key, false);
  const isSearchingDeleted = active.found.length === 0 && resource.restore !== undefined;
  const { found } = isSearchingDeleted ? await findAllByKey(session, resource, values, key, true) : active;
  if (found.length > 1) throw ambiguousKeyFailure(resource, values, key, found);
  return { found: found[0], similar: active.similar };
}

/** Returns all records with the key, and those with a similar one: active or deleted ones. */
export async function findAllByKey(
  session: Lists,
  resource: Resource,
  values: Row,
  key: readonly BodyField[],
  deletedOnly: boolean,
): Promise<{ found: Row[]; similar: Row[] }> {
  const shown = key.map((each) => each.responseName);
  const by = filterForKey(resource, shown);
  const entry = key.find((each) => each.responseName === by);
  const text = entry ? String(values[entry.name]) : '';
  const { dialCode } = entry?.field.traits ?? {};
  const dialed = dialCode === undefined ? [] : withCallingCode(text, values[dialCode]);
  const searches = by === undefined ? [] : [{ by, values: [text, ...dialed] }];
  const optional = fieldsToInclude(resource, shown);
  const textsOf = (body: Row) => key.map(({ name }) => keyValue(body[name]) ?? '');
  const wantedTexts = textsOf(values);
  const [found, similar] = [new Map<unknown, Row>(), new Map<unknown, Row>()];
  const query = { resource, searches, optional, deletedOnly, readsWholeList: searches.length === 0 };
  for await (const rows of findRecords(session, query)) {
    for (const row of rows) {
      const { body, unknown } = bodyFrom({ body: key }, row);
      if (unknown.length > 0) throw hiddenKeyFailure(resource, unknown);
      if (isDeleted(row) !== deletedOnly) continue;
      if (key.every((each) => isSameKey(each, body[each.name], values[each.name]))) found.set(row.id, row);
      else if (isSimilarKey(key, textsOf(body), wantedTexts)) similar.set(row.id, row);
    }
  }
  return { found: [...found.values()], similar: [...similar.values()] };
}

function isSameKey({ field }: BodyField, is: unknown, given: unknown): boolean {
  if (typeof is !== 'string' || typeof given !== 'string') return isSameValue(field, is, given);
  return normalizeKey(field, is) === normalizeKey(field, given);
}

function hiddenKeyFailure({ nouns }: Resource, names: readonly string[]): Failure {
  return new Failure(
    'unavailable',
    `The list of ${nouns} doesn't show ${names.join(' and ')}, so boh can't check whether the record already exists.`,
    { hint: 'Choose another field with --key.', outcome: 'not_sent' },
  );
}

function ambiguousKeyFailure(
  resource: Resource,
  values: Row,
  key: readonly BodyField[],
  found: readonly Row[],
): Failure {
  const pairs = key.map(({ name }) => `${name} ${JSON.stringify(values[name])}`);
  const what = `${found.length} ${resource.nouns} have the ${pairs.join(' and ')}`;
  return usage(`${what}: ${formatCandidates(resource, found)}.`, {
    hint: 'Add a field to --key that differs between them, or update the record by its ID.',
  });
}

/** The IDs of the records of one resource to read, with relations to include. */
export interface IdsToRead {
  ids: Set<string>;
  include: Set<string>;
}

/** Collects the IDs of records of several resources, to read them with few requests. */
export class RecordBatch {
  readonly #all = new Map<Resource, IdsToRead>();

  of(resource: Resource): IdsToRead {
    const own = this.#all.get(resource) ?? { ids: new Set(), include: new Set() };
    this.#all.set(resource, own);
    return own;
  }

  /** Reads the records, by `recordKey`. Records that no longer exist, not even as deleted ones, are missing. */
  async read(session: Session): Promise<Map<string, Row>> {
    const found = new Map<string, Row>();
    for (const [resource, { ids, include }] of this.#all) {
      await addRecords(resource, [...ids], [...include], false, session, found);
      const missing = [...ids].filter((id) => !found.has(recordKey(resource, id)));
      if (deletedFilter(resource.filters))
        await addRecords(resource, missing, [...include], true, session, found);
    }
    return found;
  }
}

/** Returns the key of a record in the map that `RecordBatch.read` returns. */
export function recordKey({ name }: Pick<Resource, 'name'>, id: string): string {
  return JSON.stringify([name, id]);
}

async function addRecords(
  resource: Resource,
  values: readonly string[],
  include: readonly string[],
  deletedOnly: boolean,
  session: Session,
  found: Map<string, Row>,
): Promise<void> {
  const idSet = new Set(values);
  const searches = [{ by: 'id', values }];
  for await (const rows of findRecords(session, { resource, searches: searches, include, deletedOnly })) {
    for (const record of rows)
      if (idSet.has(String(record.id))) found.set(recordKey(resource, String(record.id)), record);
  }
}
