/** Creates a record, or updates the existing record with the same key. Sends only the differences. */
import { Failure, type FieldMessages, usage, violations } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import type { RecordResponse } from '../client/client.ts';
import type { HttpRequest } from '../client/transport.ts';
import { type BodyField, type Operation, requireOperation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { differenceOf } from './diff/fields.ts';
import { findAllByKey, findByKey, resolveKeyFields } from './find-by-key.ts';
import { isDeleted } from './list.ts';
import { duplicateIdFailure } from './outcome.ts';
import { bodyFrom, type CurrentRecord, relationsToInclude } from './record-body.ts';
import type { Row } from './row.ts';
import type { Session, WriteResult } from './session.ts';

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
  if (!record) {
    await upsert.beforeWrite?.(body, undefined);
    const created = await create(session, resolvedUpsert, similar);
    return created.planned
      ? created
      : { ...created, duplicateIds: await concurrentDuplicates(created, session, resolvedUpsert, key) };
  }
  // The text fields of the key are equal already, except for their spelling.
  return updateExisting(session, { ...resolvedUpsert, body: omit(body, textFields(key)) }, record);
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
  { operation: { resource, body: fields }, body }: Upsert,
  similar: readonly Row[],
): Promise<UpsertResult | PlannedUpsert> {
  const creation = requireOperation(resource, 'create');
  const creationFields = creation.body.map(({ name }) => name);
  // Unknown fields are sent with the creation; fields that only updates accept are sent after it.
  const updateFields = fields.map(({ name }) => name).filter((name) => !creationFields.includes(name));
  const [creationBody, updateBody] = [omit(body, updateFields), pick(body, updateFields)];
  const isExisting = (id: string) => similar.some((record) => record.id === id);
  const failureForExistingId = (id: string) =>
    isExisting(id) ? duplicateIdFailure(id, `an existing ${resource.noun}`) : undefined;
  const creationResult = await session.write(
    { operation: creation, body: creationBody },
    { duplicateIdFailure: failureForExistingId },
  );
  const hasUpdate = Object.keys(updateBody).length > 0;
  if (creationResult.planned) {
    if (!hasUpdate) return { planned: [creationResult.planned] };
    const id = `(the new ${resource.noun})`;
    const { planned } = await session.write({
      operation: requireOperation(resource, 'update'),
      ids: [id],
      body: updateBody,
    });
    return { planned: [creationResult.planned, ...(planned ? [planned] : [])] };
  }
  const { recordResponse } = creationResult;
  const id = requireId(recordResponse?.record, resource);
  if (!recordResponse || !hasUpdate) return upsertResult(session, resource, id, recordResponse, 'created');
  const updateResult = await sendAfterEarlierWrite(
    `The ${resource.noun} ${id} was created before this failed.`,
    () => session.write({ operation: requireOperation(resource, 'update'), ids: [id], body: updateBody }),
  );
  const updateResponse = updateResult.planned ? undefined : updateResult.recordResponse;
  return upsertResult(session, resource, id, updateResponse, 'created');
}

/** Restores and updates the existing record. All checks come before the first write. */
async function updateExisting(
  session: Session,
  desired: Upsert,
  row: Row,
): Promise<UpsertResult | PlannedUpsert> {
  const { operation, onDeleted, ifExists } = desired;
  const { resource } = operation;
  const id = requireId(row, resource);
  const isDeletedRecord = isDeleted(row);
  if (isDeletedRecord && onDeleted === 'refuse') throw deletedFailure(resource, id);
  const { recordResponse, current } = await readCurrent(session, operation, id, row);
  const { body, unchangeable } =
    ifExists === 'update' ? changesFor(desired, current) : { body: {}, unchangeable: [] as string[] };
  const isDifferent = Object.keys(body).length > 0;
  if (isDifferent)
    await session.permissions.notifyPlanned([
      { operation: requireOperation(resource, 'update'), body, recordBefore: current.record },
    ]);
  if (isDifferent) await desired.beforeWrite?.(body, current);
  if (!isDeletedRecord && !isDifferent) return { outcome: 'unchanged', id, recordResponse, unchangeable };
  const plannedRequests: HttpRequest[] = [];
  let lastResult: WriteResult | undefined;
  if (isDeletedRecord)
    lastResult = await session.write(
      { operation: requireOperation(resource, 'restore'), ids: [id] },
      { recordBefore: row },
    );
  if (lastResult?.planned) plannedRequests.push(lastResult.planned);
  if (isDifferent) {
    const update = { operation: requireOperation(resource, 'update'), ids: [id], body };
    const send = () => session.write(update, { recordBefore: current.record });
    lastResult = isDeletedRecord
      ? await sendAfterEarlierWrite(`The ${resource.noun} ${id} was restored before this failed.`, send)
      : await send();
    if (lastResult.planned) plannedRequests.push(lastResult.planned);
  }
  if (lastResult?.planned) return { planned: plannedRequests };
  return upsertResult(
    session,
    resource,
    id,
    lastResult?.recordResponse,
    isDeletedRecord ? 'restored' : 'updated',
    unchangeable,
  );
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

/** Returns the values that an update has to send, and the fields that only a new record accepts. */
function changesFor(
  { operation: { resource, body: fields }, body: desired }: Upsert,
  current: CurrentRecord,
): { body: Row; unchangeable: string[] } {
  const updatableNames = requireOperation(resource, 'update').body.map(({ name }) => name);
  const writableFields = fields.filter(({ field }) => !field.traits.ignored);
  const { body } = differenceOf(writableFields, desired, current.record);
  const differentFields = writableFields.filter(({ name }) => Object.hasOwn(body, name));
  const unchangeableFields = differentFields.filter(({ name }) => !updatableNames.includes(name));
  const unknownNames = unchangeableFields
    .map(({ name }) => name)
    .filter((name) => current.unknown.includes(name));
  const messages: FieldMessages = Object.create(null);
  for (const { name } of unchangeableFields.filter((entry) => !unknownNames.includes(entry.name))) {
    const [oldText, newText] = [current.body[name] ?? null, desired[name]].map((value) =>
      JSON.stringify(value),
    );
    messages[name] = [`can only be set on creation: ${oldText} can't become ${newText}`];
  }
  if (Object.keys(messages).length > 0)
    throw violations(`input for the ${resource.noun} ${current.id}`, messages);
  const names = differentFields.map(({ name }) => name).filter((name) => updatableNames.includes(name));
  // Unknown fields can't be compared: they are always sent.
  const undocumentedNames = Object.keys(desired).filter(
    (name) => !fields.some((entry) => entry.name === name),
  );
  return {
    body: pick(desired, names.length > 0 ? [...names, ...undocumentedNames] : undocumentedNames),
    unchangeable: unknownNames,
  };
}

function textFields(key: readonly BodyField[]): string[] {
  return key.filter(({ field }) => field.kind === 'text').map(({ name }) => name);
}

function deletedFailure({ noun, command }: Resource, id: string): Failure {
  return usage(`The ${noun} ${id} with this key is deleted. Nothing was sent.`, {
    hint: boh.hint`To restore it, add --on-deleted restore, or run: ${boh.account(`${command} restore`, id)}`,
  });
}

/** Adds to a failure that an earlier write was applied; the outcome is that of the failed write. */
async function sendAfterEarlierWrite(
  earlierWrite: string,
  send: () => Promise<WriteResult>,
): Promise<WriteResult> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.category, `${error.message} ${earlierWrite}`, error.details);
  }
}

function requireId(record: Row | undefined, { noun }: Resource): string {
  if (typeof record?.id === 'string' && record.id !== '') return record.id;
  throw new Failure('unavailable', `The service doesn't return an ID for the ${noun}.`);
}

function pick(body: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(body, name) ? [[name, body[name]]] : [])));
}

function omit(body: Row, names: readonly string[]): Row {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}
