/** Finds the record with the values of a key, first among active records, then among deleted ones. */

import { keyFields } from '../../api/contract/composite.ts';
import { deletedFilter } from '../../api/contract/filter.ts';
import { fieldsToInclude } from '../../api/contract/include.ts';
import { type KeyRelation, normalizeKey } from '../../api/contract/normalize-key.ts';
import { type BodyField, type Operation, operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { capitalize } from '../../api/contract/wording.ts';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { joinItems } from '../../base/shown-items.ts';
import { didYouMean } from '../../base/suggest.ts';
import { isSameValue } from './diff/values.ts';
import { findRecords } from './find-records.ts';
import type { Lists } from './list.ts';
import { bodyFrom } from './record-body.ts';
import {
  formatCandidates,
  isCodeKey,
  KeyIndex,
  keyTexts,
  type RelatedItems,
  relateRecords,
} from './record-key.ts';
import type { Row } from './row.ts';
import type { Session } from './session.ts';

/**
 * Returns the fields of a key. The default is the first field with a value in the body that is unique by the API
 * document; without a body, any unique field. Throws `usage` if there is none, for unknown fields and for missing values.
 */
export function resolveKeyFields(
  resource: Resource,
  chosenNames: readonly string[] | undefined,
  body?: Row,
): BodyField[] {
  const fields = keyFields(createOperation(resource));
  const hasValue = ({ name }: BodyField) => body === undefined || (body[name] ?? '') !== '';
  if (chosenNames === undefined) {
    const uniqueFields = fields.filter(({ field }) => field.traits.unique);
    const uniqueField = uniqueFields.find(hasValue);
    if (uniqueField) return [uniqueField];
    throw usage(
      uniqueFields.length > 0
        ? `The ${resource.noun} can't be identified without ${joinNames(uniqueFields)}.`
        : `${capitalize(resource.nouns)} have no unique field, so a key is needed.`,
      { hint: `Choose the field that identifies a record: --key FIELD, for example ${joinNames(fields)}.` },
    );
  }
  const unknownNames = chosenNames.filter((name) => !fields.some((keyField) => keyField.name === name));
  if (unknownNames.length > 0 || chosenNames.length === 0) {
    throw usage(`${resource.command} can't be identified by ${unknownNames.join(', ') || 'an empty key'}.`, {
      hint: `Key fields: ${joinNames(fields)}.${didYouMean(
        unknownNames[0] ?? '',
        fields.map(({ name }) => name),
      )}`,
    });
  }
  const key = fields.filter(({ name }) => chosenNames.includes(name));
  const missingFields = key.filter((keyField) => !hasValue(keyField));
  if (missingFields.length === 0) return key;
  throw usage(`The key has no value: ${joinNames(missingFields)} is missing.`);
}

function joinNames(fields: readonly BodyField[]): string {
  return fields.map(({ name }) => name).join(', ');
}

function createOperation(resource: Resource): Operation {
  const create = operation(resource, 'create');
  if (!create) throw usage(`The API has no ${resource.command} create.`);
  return create;
}

/**
 * Finds the record with this key, or the only one whose key is another spelling of it, which is reported; and the active
 * records with a similar key. `values` have the format of requests, and are compared with every row: filters match parts of
 * strings, and some services ignore unknown ones. Deleted records count if they can be restored. Throws `usage` if several
 * records match or if a new code is similar to that of a record, and `unavailable` if the list doesn't contain the fields of
 * the key.
 */
export async function findByKey(
  session: Session,
  resource: Resource,
  values: Row,
  key: readonly BodyField[],
): Promise<{ record: Row | undefined; similar: readonly Row[] }> {
  const active = await findAllByKey(session, resource, values, key, false);
  const isFound = active.same.length + active.folded.length > 0;
  const { same, folded } =
    isFound || !resource.restore ? active : await findAllByKey(session, resource, values, key, true);
  const records = same.length > 0 ? same : folded;
  if (records.length > 1) throw ambiguousKeyFailure(resource, values, key, records);
  const [record] = records;
  const { similar } = active;
  if (same.length > 0 || (!record && similar.length === 0)) return { record, similar };
  const written = key.map(({ name }) => values[name]).join(', ');
  const stored = joinItems([record ?? similar].flat().map((row) => `${row.id} (${keyTexts(row, key)})`));
  if (!record && isCodeKey(key)) {
    throw usage(`No ${resource.noun} has the key ${written}. Did you mean ${stored}? Nothing was sent.`, {
      hint: boh.hint`To create ${written}: ${boh.account(`${resource.command} create`)}`,
    });
  }
  session.spellings.add({ subject: joinNames(key), written, stored, isSimilar: !record });
  return { record, similar };
}

/** Returns all records with the key or a related one, among active records or, with `deletedOnly`, deleted ones. */
export async function findAllByKey(
  session: Lists,
  resource: Resource,
  values: Row,
  key: readonly BodyField[],
  deletedOnly: boolean,
): Promise<RelatedItems<Row>> {
  const keyEntries = key.map(({ name, responseName }) => [responseName, values[name]] as const);
  const desired = { ...values, ...Object.fromEntries(keyEntries) };
  const index = new KeyIndex<Row>();
  index.add(key, desired, desired);
  const searches = index.searches(resource, deletedOnly ? undefined : 'all');
  const optional = fieldsToInclude(
    resource,
    keyEntries.map(([name]) => name),
  );
  const rowsById = new Map<unknown, { row: Row; relation: KeyRelation | undefined }>();
  const query = { resource, searches, optional, deletedOnly, readsWholeList: searches.length === 0 };
  for await (const rows of findRecords(session, query)) {
    for (const row of rows) {
      const { body, unknown } = bodyFrom({ body: key }, row);
      if (unknown.length > 0) throw hiddenKeyFailure(resource, unknown);
      const isSame = key.every((field) => isSameKey(field, body[field.name], values[field.name]));
      rowsById.set(row.id, { row, relation: isSame ? 'same' : relateRecords(key, row, desired) });
    }
  }
  const rowsWith = (wanted: KeyRelation) =>
    [...rowsById.values()].filter(({ relation }) => relation === wanted).map(({ row }) => row);
  return { same: rowsWith('same'), folded: rowsWith('folded'), similar: rowsWith('similar') };
}

function isSameKey({ field }: BodyField, current: unknown, desired: unknown): boolean {
  if (typeof current !== 'string' || typeof desired !== 'string') return isSameValue(field, current, desired);
  return normalizeKey(field, current) === normalizeKey(field, desired);
}

function hiddenKeyFailure({ nouns }: Resource, names: readonly string[]): Failure {
  return new Failure(
    'unavailable',
    `The list of ${nouns} doesn't contain ${names.join(' and ')}, so boh can't check whether the record already exists.`,
    { hint: 'Choose another field with --key.', outcome: 'not_sent' },
  );
}

function ambiguousKeyFailure(
  resource: Resource,
  values: Row,
  key: readonly BodyField[],
  matches: readonly Row[],
): Failure {
  const pairs = key.map(({ name }) => `${name} ${JSON.stringify(values[name])}`);
  const description = `${matches.length} ${resource.nouns} have the ${pairs.join(' and ')}`;
  return usage(`${description}: ${formatCandidates(resource, matches)}.`, {
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

  /** Returns the sets of IDs and relations for a resource, to add to. */
  idsOf(resource: Resource): IdsToRead {
    const idsToRead = this.#all.get(resource) ?? { ids: new Set(), include: new Set() };
    this.#all.set(resource, idsToRead);
    return idsToRead;
  }

  /** Reads the records, by `recordKey`. Records that no longer exist, not even as deleted ones, are missing. */
  async read(session: Session): Promise<Map<string, Row>> {
    const records = new Map<string, Row>();
    for (const [resource, { ids, include }] of this.#all) {
      await addRecords(resource, [...ids], [...include], false, session, records);
      const missingIds = [...ids].filter((id) => !records.has(recordKey(resource, id)));
      if (deletedFilter(resource.filters))
        await addRecords(resource, missingIds, [...include], true, session, records);
    }
    return records;
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
  records: Map<string, Row>,
): Promise<void> {
  const idSet = new Set(values);
  const searches = [{ by: 'id', values }];
  for await (const rows of findRecords(session, { resource, searches, include, deletedOnly })) {
    for (const record of rows)
      if (idSet.has(String(record.id))) records.set(recordKey(resource, String(record.id)), record);
  }
}
