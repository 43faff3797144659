/** Creates a record, or updates the existing record with the same key. Sends only the differences. */

import type { RecordResponse } from '../../account/client/client.ts';
import type { HttpRequest } from '../../account/client/transport.ts';
import { findAllByKey, findByKey, resolveKeyFields } from '../../account/session/find-by-key.ts';
import { isDeleted } from '../../account/session/list.ts';
import { duplicateIdFailure } from '../../account/session/outcome.ts';
import { bodyFrom, type CurrentRecord, relationsToInclude } from '../../account/session/record-body.ts';
import type { Row } from '../../account/session/row.ts';
import type { Session } from '../../account/session/session.ts';
import { object } from '../../api/contract/field.ts';
import {
  type BodyField,
  type Operation,
  plainBodyField,
  requireOperation,
} from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { Failure, type FieldMessages, usage, violations } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { type Desired, decide, type FixedField, fixedFieldsIn } from './decide.ts';
import { recordIdPlaceholder, type Step } from './ledger/row.ts';

/** A record to create or update. */
export interface Upsert {
  /** The operation that defines the body: `upsert`, or `create` if existing records stay unchanged. */
  operation: Operation;
  /** The desired values, in the format of requests; relations may be lookups. */
  body: Row;
  /** Names of the fields that identify the record; by default the first unique one. */
  key?: readonly string[] | undefined;
  /** Whether a deleted record with this key is restored, or refused. */
  onDeleted: 'restore' | 'refuse';
  /** Whether an existing record is updated or left unchanged. */
  ifExists: 'update' | 'leave';
  /** Called before the record is created or updated, with the record if it exists; may throw to prevent it. */
  beforeWrite?: ((body: Row, current: CurrentRecord | undefined) => Promise<void>) | undefined;
}

/** The outcome of an upsert. A `restored` record may also have been updated. `unchanged`: nothing was sent. */
export type UpsertOutcome = 'created' | 'updated' | 'unchanged' | 'restored';

/** The record after an upsert. */
export interface UpsertResult {
  planned?: undefined;
  outcome: UpsertOutcome;
  id: string;
  /** The record, and the body that contained it. */
  recordResponse: RecordResponse;
  /** Names of fields that only a new record accepts, and whose values the existing record doesn't contain. */
  unchangeable: readonly string[];
  /**
   * For a new record: the IDs of other records with the same key, which another user created at the same time; undefined
   * if that is unknown.
   */
  duplicateIds?: readonly string[] | undefined;
}

/** The result of a dry run: the requests that would be sent; empty if nothing differs. */
export interface PlannedUpsert {
  planned: readonly HttpRequest[];
}

/**
 * Creates a record, or updates the one with the same key or another spelling of it. Throws `usage` if several records have
 * the key, if a new code is similar to an existing one, if the record is deleted and must not be restored, if a field can't be
 * changed, and for an invalid body; else throws like `Session.write`.
 */
export async function upsertRecord(session: Session, upsert: Upsert): Promise<UpsertResult | PlannedUpsert> {
  const { resource } = upsert.operation;
  const key = resolveKeyFields(resource, upsert.key, upsert.body);
  const { body = {} } = await session.names.resolve({ operation: upsert.operation, body: upsert.body });
  const resolvedUpsert = { ...upsert, body };
  const { record, similar } = await findByKey(session, resource, body, key);
  if (record) return updateExisting(session, resolvedUpsert, textFields(key), record);
  await upsert.beforeWrite?.(body, undefined);
  const created = await create(session, resolvedUpsert, similar);
  if (created.planned) return created;
  return { ...created, duplicateIds: await concurrentDuplicates(created, session, resolvedUpsert, key) };
}

async function concurrentDuplicates(
  { id }: UpsertResult,
  session: Session,
  { operation: { resource }, body }: Upsert,
  key: readonly BodyField[],
): Promise<string[] | undefined> {
  try {
    const { same } = await findAllByKey(session, resource, body, key, false);
    return same.flatMap((record) => (record.id === id ? [] : String(record.id)));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

async function create(
  session: Session,
  upsert: Upsert,
  similar: readonly Row[],
): Promise<UpsertResult | PlannedUpsert> {
  const { resource } = upsert.operation;
  const isExisting = (id: string) => similar.some((record) => record.id === id);
  const failureForExistingId = (id: string) =>
    isExisting(id) ? duplicateIdFailure(id, `an existing ${resource.noun}`) : undefined;
  const steps = stepsFor(desiredBy(upsert, upsert.body), undefined);
  return send(session, resource, steps, { outcome: 'created', duplicateIdFailure: failureForExistingId });
}

/** Restores and updates the existing record. All checks come before the first write. */
async function updateExisting(
  session: Session,
  upsert: Upsert,
  keyTexts: readonly string[],
  row: Row,
): Promise<UpsertResult | PlannedUpsert> {
  const { operation: write, onDeleted, ifExists } = upsert;
  const { resource } = write;
  const id = requireId(row, resource);
  if (isDeleted(row) && onDeleted === 'refuse') throw deletedFailure(resource, id);
  const { recordResponse, current } = await readCurrent(session, write, id, row);
  // The text of the key differs at most in its spelling.
  const body = Object.fromEntries(Object.entries(upsert.body).filter(([name]) => !keyTexts.includes(name)));
  const values = ifExists === 'update' ? body : {};
  const unchangeable = unchangeableNames(resource, values, current);
  // A deleted record that can't be read by ID is restored as it is in the list.
  const record = { ...current.record, deleted_at: row.deleted_at };
  const steps = stepsFor(desiredBy(upsert, values), record);
  const update = requireOperation(resource, 'update');
  const changed = steps.find(({ verb }) => verb === update.verb)?.body;
  if (changed) {
    await session.permissions.notifyPlanned([
      { operation: update, body: changed, recordBefore: current.record },
    ]);
    await upsert.beforeWrite?.(changed, current);
  }
  if (steps.length === 0) return { outcome: 'unchanged', id, recordResponse, unchangeable };
  const outcome = isDeleted(row) ? 'restored' : 'updated';
  return send(session, resource, steps, { outcome, id, unchangeable, recordBefore: current.record });
}

function desiredBy({ operation: { resource, body: fields } }: Upsert, values: Row): Desired {
  const otherFields = Object.keys(values)
    .filter((name) => !fields.some((entry) => entry.name === name))
    .map((name) => plainBodyField(name, object({}).nullable()));
  return { resource, state: 'present', values, otherFields };
}

function stepsFor(desired: Desired, current: Row | undefined): readonly Step[] {
  const policy = {
    onDeleted: 'restore',
    fixedFields: 'ignore',
    acceptsDamage: true,
    skipsValidation: true,
  } as const;
  const decision = decide(desired, current, policy);
  if (!('problems' in decision)) return decision.steps ?? [];
  const problems = decision.problems.map(({ what }) => what).join('; ');
  throw usage(`The ${desired.resource.noun} ${problems}. Nothing was sent.`);
}

/**
 * Returns the names of fields that only a new record accepts and whose values the service doesn't return. Throws a usage
 * failure for such fields with another value.
 */
function unchangeableNames(resource: Resource, values: Row, current: CurrentRecord): string[] {
  const fixed = fixedFieldsIn(resource, values, current.record);
  const isUnknown = ({ entry: { name } }: FixedField) => current.unknown.includes(name);
  const messages: FieldMessages = Object.create(null);
  for (const {
    entry: { name },
  } of fixed.filter((field) => !isUnknown(field))) {
    const [oldText, newText] = [current.body[name] ?? null, values[name]].map((value) =>
      JSON.stringify(value),
    );
    messages[name] = [`can only be set on creation: ${oldText} can't become ${newText}`];
  }
  if (Object.keys(messages).length > 0)
    throw violations(`input for the ${resource.noun} ${current.id}`, messages);
  return fixed.filter(isUnknown).map(({ entry: { name } }) => name);
}

interface SendOptions {
  outcome: UpsertOutcome;
  /** The ID of an existing record. */
  id?: string;
  recordBefore?: Row;
  unchangeable?: readonly string[];
  duplicateIdFailure?: (id: string) => Failure | undefined;
}

/** Sends the steps one after the other. A failure after the first one says what was already done. */
async function send(
  session: Session,
  resource: Resource,
  steps: readonly Step[],
  { outcome, recordBefore, unchangeable = [], duplicateIdFailure, ...existing }: SendOptions,
): Promise<UpsertResult | PlannedUpsert> {
  const planned: HttpRequest[] = [];
  let { id } = existing;
  let recordResponse: RecordResponse | undefined;
  for (const step of steps) {
    const { verb, ids, body } = step;
    const write = requireOperation(resource, verb);
    const path = ids.map((part) =>
      part === recordIdPlaceholder ? (id ?? `(the new ${resource.noun})`) : String(part),
    );
    const call = { operation: write, ...(path.length > 0 && { ids: path }), ...(body && { body }) };
    const result = await session.write(call, { recordBefore, duplicateIdFailure }).catch((error: unknown) => {
      if (!(error instanceof Failure) || step === steps[0]) throw error;
      const done = `The ${resource.noun} ${id} was ${outcome === 'created' ? 'created' : 'restored'} before this failed.`;
      throw new Failure(error.category, `${error.message} ${done}`, error.details);
    });
    if (result.planned) planned.push(result.planned);
    else {
      recordResponse = result.recordResponse;
      id ??= requireId(recordResponse?.record, resource);
    }
  }
  if (planned.length > 0) return { planned };
  return upsertResult(session, resource, id ?? '', recordResponse, outcome, unchangeable);
}

/** Returns the result. The record is read if the response doesn't contain it, as for a restore. */
async function upsertResult(
  session: Session,
  resource: Resource,
  id: string,
  recordResponse: RecordResponse | undefined,
  outcome: UpsertOutcome,
  unchangeable: readonly string[] = [],
): Promise<UpsertResult> {
  if (recordResponse) return { outcome, id, recordResponse, unchangeable };
  try {
    const get = { operation: requireOperation(resource, 'get'), ids: [id] };
    return { outcome, id, recordResponse: await session.get(get), unchangeable };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = `The ${resource.noun} ${id} was ${outcome}, but its record can't be read: ${error.message}`;
    throw new Failure('unreported', message, { ...error.details, outcome: 'done' });
  }
}

/** Reads the record. A deleted record that can't be read by ID is returned as it is in the list. */
async function readCurrent(
  session: Session,
  update: Operation,
  id: string,
  row: Row,
): Promise<{ recordResponse: RecordResponse; current: CurrentRecord }> {
  const get = { operation: requireOperation(update.resource, 'get'), ids: [id] };
  const query = { optional: relationsToInclude(update) };
  const recordResponse = await session.get({ ...get, query }).catch((error: unknown) => {
    if (!isDeleted(row) || !(error instanceof Failure) || error.category !== 'not_found') throw error;
    return { record: row, body: JSON.stringify({ data: row }) };
  });
  const { record } = recordResponse;
  return { recordResponse, current: { id, record, ...bodyFrom(update, record) } };
}

function textFields(key: readonly BodyField[]): string[] {
  return key.filter(({ field }) => field.kind === 'text').map(({ name }) => name);
}

function deletedFailure({ noun, command }: Resource, id: string): Failure {
  return usage(`The ${noun} ${id} with this key is deleted. Nothing was sent.`, {
    hint: boh.hint`To restore it, add --on-deleted restore, or run: ${boh.account(`${command} restore`, id)}`,
  });
}

function requireId(record: Row | undefined, { noun }: Resource): string {
  if (typeof record?.id === 'string' && record.id !== '') return record.id;
  throw new Failure('unavailable', `The service doesn't return an ID for the ${noun}.`);
}
