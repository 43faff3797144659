/** Decides for one record of the source whether it is created, updates the target's record, or is skipped. */
import { isSameValue } from '../../account/session/diff/values.ts';
import { isDeleted } from '../../account/session/list.ts';
import { bodyFrom, linksIn, pivotOf } from '../../account/session/record-body.ts';
import type { Row } from '../../account/session/row.ts';
import type { Api } from '../../api/contract/api.ts';
import { isStoredByTarget } from '../../api/contract/dependency-order.ts';
import { hasTakenEffect } from '../../api/contract/irreversible.ts';
import { relateKeys } from '../../api/contract/normalize-key.ts';
import { type BodyField, type Operation, operation, operations } from '../../api/contract/operation.ts';
import { otherBodyFields } from '../../api/contract/other-fields.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { type DesiredLink, decide } from '../runs/decide.ts';
import { type RowChange, rowError } from '../runs/ledger/row.ts';
import type { RowProblem } from '../tables/table.ts';
import { isSeparatePerAccount } from './match-target.ts';
import type { ExclusionReason, Transfer, TransferIntent } from './transfer.ts';
import { type TargetId, translateRecord } from './translate.ts';

/** The record of a decision, its candidates and the options. */
export interface DecisionInput {
  transfer: Transfer;
  resource: Resource;
  intent: TransferIntent;
  /** The IDs of target records that match other records of the source. */
  claimedIds: ReadonlySet<string>;
}

/**
 * The decision for a record. `excluded`: it can't be written. `missing`: it is only referenced, and the target doesn't have
 * it.
 */
export type Decision =
  | { kind: 'row'; change: RowChange }
  | { kind: 'excluded'; reason: ExclusionReason }
  | { kind: 'missing' };

export function decideRecord(input: DecisionInput): Decision {
  const { transfer, resource, intent } = input;
  const { existing, equalMatches } = findBestMatch(input);
  if (equalMatches.length > 0) {
    const problem = `matches several ${resource.nouns} of the target: ${equalMatches.map(({ id }) => id).join(', ')}`;
    return invalidRow([{ what: problem }]);
  }
  if (existing) return decideUpdate(input, existing);
  if (intent.isReferenced && !transfer.includesReferences) return { kind: 'missing' };
  return decideCreate(input);
}

/** Returns the most similar candidate. If all compared fields of several candidates are equal, returns any of them. */
function findBestMatch({ transfer, resource, intent, claimedIds }: DecisionInput): {
  existing?: Row;
  equalMatches: Row[];
} {
  const unclaimed = (intent.candidates ?? []).filter(({ id }) => !claimedIds.has(String(id)));
  const candidates = unclaimed.filter((record) => isDeleted(record) === isDeleted(intent.record));
  const available = candidates.length > 0 ? candidates : unclaimed;
  const { createFields } = writeFieldsOf(transfer.session.api, resource);
  const comparedFields = createFields.filter(({ field }) => field.traits.target === undefined);
  const similarityOf = (record: Row) =>
    comparedFields.filter(({ responseName, field }) =>
      isSameValue(field, record[responseName], intent.record[responseName]),
    ).length;
  const ranked = available
    .map((record) => ({ record, count: similarityOf(record) }))
    .sort((a, b) => b.count - a.count);
  const [best] = ranked;
  if (!best) return { equalMatches: [] };
  const equalMatches = ranked.filter(({ count }) => count === best.count).map(({ record }) => record);
  const isAmbiguous = equalMatches.length > 1 && best.count < comparedFields.length;
  return isAmbiguous ? { equalMatches } : { existing: best.record, equalMatches: [] };
}

function decideCreate(input: DecisionInput): Decision {
  const { transfer, resource, intent } = input;
  const fields = writeFieldsOf(transfer.session.api, resource);
  if (!fields.create) return { kind: 'excluded', reason: 'not_writable' };
  // A deleted record that took effect would take effect a second time.
  if (!intent.isNew && hasTakenEffect(resource, intent.record))
    return { kind: 'excluded', reason: 'took_effect' };
  if (!isCreatable(fields, intent.record)) return { kind: 'excluded', reason: 'not_creatable' };
  const { record, problems } = translate(input, fields);
  const isSent = ({ responseName }: BodyField) =>
    !isSeparatePerAccount(transfer, resource) || !resource.key.includes(responseName);
  const sentFields = [...fields.createFields, ...fields.afterCreateFields.filter(isSent)];
  const others = otherFields(input);
  const values = withoutEmptyValues({
    ...bodyFrom({ body: sentFields }, record).body,
    ...valuesOf(others, intent.record),
  });
  const links = fields.linkOperations.flatMap((link) => linksToSet(link, record));
  const decided = decide({ ...desired(input), values, otherFields: others, links }, undefined);
  return decision(decided, problems);
}

function decideUpdate(input: DecisionInput, existing: Row): Decision {
  const { transfer, resource, intent } = input;
  const id = String(existing.id);
  const isPermanentlyDeleted = isDeleted(existing) && !resource.restore;
  if (isPermanentlyDeleted && !isDeleted(intent.record)) return decideCreate(input);
  const isUnchanged =
    intent.isReferenced || isDeleted(intent.record) || isSeparatePerAccount(transfer, resource);
  if (isUnchanged) return { kind: 'row', change: { state: 'done', action: 'skip', id } };
  const fields = writeFieldsOf(transfer.session.api, resource);
  const { record, problems } = translate(input, fields);
  // A target without such a field would need an update each time.
  const others = otherFields(input).filter(({ name }) => Object.hasOwn(existing, name));
  // Only the same record gets another spelling of its key.
  const isSameRecord = transfer.isSameAccount && existing.id === intent.record.id;
  const isSpelling = ({ responseName: name, field }: BodyField) =>
    resource.key.includes(name) &&
    relateKeys(field, String(existing[name]), String(intent.record[name])) === 'folded';
  const sentFields = [...fields.updateFields, ...others].filter(
    (field) => isSameRecord || !isSpelling(field),
  );
  const values = bodyFrom({ body: sentFields }, { ...valuesOf(others, intent.record), ...record }).body;
  const links = fields.linkOperations.flatMap((link) => [
    ...linksToSet(link, record),
    ...linksToRemove(transfer, link, record, existing),
  ]);
  const updatedAt =
    existing.id === intent.record.id ? (intent.record.updated_at as string | undefined) : undefined;
  const { edited } = transfer;
  const policy = {
    onDeleted: 'restore',
    stale: edited?.stale ?? 'overwrite',
    fixedFields: 'ignore',
    acceptsDamage: !edited || edited.acceptsDamage,
  } as const;
  const decided = decide(
    { ...desired(input), values, otherFields: others, links, updatedAt },
    existing,
    policy,
  );
  if (!hasTakenEffect(resource, existing)) return decision(decided, problems);
  const isDone = 'state' in decided && decided.state === 'done';
  return isDone ? { kind: 'row', change: decided } : { kind: 'excluded', reason: 'target_took_effect' };
}

function desired({ resource, intent: { written, doubts } }: DecisionInput) {
  return { resource, state: 'present', written, doubts } as const;
}

/** Returns the record with the IDs of the target, without fields that are sent later or not at all. */
function translate(input: DecisionInput, fields: WriteFields): { record: Row; problems: RowProblem[] } {
  const { transfer, resource, intent } = input;
  const isSent = immediateFields(fields, deniedFieldsOf(input));
  const { record, missingRelations } = translateRecord(transfer, resource, intent.record, isSent);
  const what = "refers to a record that doesn't exist";
  return { record, problems: [...new Set(missingRelations)].map((column) => ({ column, what })) };
}

function decision(decided: ReturnType<typeof decide>, problems: readonly RowProblem[]): Decision {
  if ('problems' in decided) return invalidRow([...problems, ...decided.problems]);
  return problems.length > 0 ? invalidRow(problems) : { kind: 'row', change: decided };
}

/** Returns the fields outside the API document that the target may take. IDs of another account aren't sent. */
function otherFields({ transfer, resource, intent }: DecisionInput): BodyField[] {
  return otherBodyFields(resource, intent.record).filter(
    ({ name }) => transfer.isSameAccount || !/_(id|ids|index)$/.test(name),
  );
}

function valuesOf(fields: readonly BodyField[], record: Row): Row {
  return Object.fromEntries(fields.map(({ name }) => [name, record[name]]));
}

function deniedFieldsOf({ transfer, resource }: DecisionInput): ReadonlySet<string> {
  return transfer.deniedFields.get(resource.name) ?? new Set();
}

function immediateFields(
  { laterFields, laterLinkOperations }: WriteFields,
  omittedNames: ReadonlySet<string>,
): (name: string) => boolean {
  const names = new Set([
    ...omittedNames,
    ...laterFields.map(({ responseName }) => responseName),
    ...laterLinkOperations.map(({ link }) => link?.field),
  ]);
  return (name) => !names.has(name);
}

/** Omits empty values, because the fields of a new record are empty by default. */
function withoutEmptyValues(body: Row): Row {
  const hasValue = (value: unknown) =>
    value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(body).filter(([, value]) => hasValue(value)));
}

function isCreatable({ createFields }: WriteFields, record: Row): boolean {
  return createFields.every(({ responseName, field }) => field.allowsNew(record[responseName]));
}

function invalidRow(problems: readonly RowProblem[]): Decision {
  return { kind: 'row', change: { state: 'bad', action: 'skip', error: rowError(problems) } };
}

export function linksToSet(linkOperation: Operation, record: Row): DesiredLink[] {
  return (linksIn(record, linkOperation.link?.field ?? '') ?? []).map((link) => ({
    operation: linkOperation,
    linkedId: link.id as TargetId,
    values: bodyFrom(linkOperation, pivotOf(link)).body,
  }));
}

/**
 * Returns the links that are missing in an edited list of the same account. Otherwise links that only the target has are kept,
 * and those of lists that can't be a column of a file.
 */
export function linksToRemove(
  { edited, isSameAccount }: Transfer,
  linkOperation: Operation,
  record: Row,
  existing: Row | undefined,
): DesiredLink[] {
  const { link, resource } = linkOperation;
  const [field, links] = [link?.field ?? '', linksIn(record, link?.field ?? '')];
  const isColumn =
    operation(resource, 'update')?.body.some(({ responseName }) => responseName === field) === true;
  if (!edited || !isSameAccount || !isColumn || !links) return [];
  const sourceIds = new Set(links.map(({ id }) => id));
  return (linksIn(existing, field) ?? [])
    .map(({ id }) => String(id))
    .filter((id) => !sourceIds.has(id))
    .map((linkedId) => ({ operation: linkOperation, linkedId, values: undefined }));
}

/** The fields and links of a resource by the request that writes them. */
export interface WriteFields {
  create: Operation | undefined;
  update: Operation | undefined;
  /** Sent with the create request. */
  createFields: readonly BodyField[];
  /** Sent right after the create request. */
  afterCreateFields: readonly BodyField[];
  /** Sent with the update request of an existing record. */
  updateFields: readonly BodyField[];
  /** Sent when all records of the resource exist. */
  laterFields: readonly BodyField[];
  /** The operations that set links together with the record. */
  linkOperations: readonly Operation[];
  laterLinkOperations: readonly Operation[];
}

const writeFieldsCache = new WeakMap<Resource, WriteFields>();

/** Returns the fields and links of a resource by the request that writes them. */
export function writeFieldsOf(api: Api, resource: Resource): WriteFields {
  const writeFields = writeFieldsCache.get(resource) ?? groupWriteFields(api, resource);
  writeFieldsCache.set(resource, writeFields);
  return writeFields;
}

function groupWriteFields(api: Api, resource: Resource): WriteFields {
  const { deferredRelations = [] } = api.dependencyOrder().find((entry) => entry.resource === resource) ?? {};
  const links = operations(resource).filter(({ effect }) => effect === 'link');
  const linkedFields = new Set(links.map(({ link }) => link?.field));
  const [create, update] = [operation(resource, 'create'), operation(resource, 'update')];
  const writableFields = (write: Operation | undefined) =>
    (write?.body ?? []).filter(
      ({ responseName, field }) =>
        !linkedFields.has(responseName) &&
        !field.traits.secret &&
        !field.traits.ignored &&
        !isStoredByTarget(api, field),
    );
  // Plain IDs may refer to records of the same resource.
  const isLater = ({ responseName, field }: BodyField) =>
    deferredRelations.includes(responseName) || field.kind === 'ids';
  const createFields = writableFields(create).filter((entry) => !isLater(entry));
  const updateFields = writableFields(update).filter((entry) => !isLater(entry));
  return {
    create,
    update,
    createFields,
    afterCreateFields: updateFields.filter(({ name }) => !createFields.some((entry) => entry.name === name)),
    updateFields,
    laterFields: writableFields(update).filter(isLater),
    linkOperations: links.filter(({ link }) => !deferredRelations.includes(link?.field ?? '')),
    laterLinkOperations: links.filter(({ link }) => deferredRelations.includes(link?.field ?? '')),
  };
}
