/** Decides for one record of the source whether it is created, updates the target's record, or is skipped. */

import { describeLastChange, hasChangedSince, suspectValueProblems } from '../bulk/plan/decide.ts';
import { hasTakenEffect } from '../contract/irreversible.ts';
import { isSameText, relateKeys } from '../contract/normalize-key.ts';
import { type BodyField, type Operation, operation } from '../contract/operation.ts';
import { otherBodyFields } from '../contract/other-fields.ts';
import type { Resource } from '../contract/resource.ts';
import { validateBody } from '../contract/validate.ts';
import { type RowChange, recordIdPlaceholder, type Step } from '../runs/ledger/row.ts';
import { withIds } from '../runs/ledger/row-reference.ts';
import { recordSnapshot } from '../runs/record-snapshot.ts';
import { rowError } from '../runs/row-error.ts';
import { type Changes, differenceOf } from '../session/diff/fields.ts';
import { isSameValue } from '../session/diff/values.ts';
import { isDeleted } from '../session/list.ts';
import { bodyFrom } from '../session/record-body.ts';
import { isRow, type Row } from '../session/row.ts';
import { damageProblems } from '../tables/columns/damage.ts';
import type { RowProblem } from '../tables/table.ts';
import { linkSteps, unlinkSteps } from './link-steps.ts';
import { isSeparatePerAccount } from './match-target.ts';
import type { ExclusionReason, Transfer, TransferIntent } from './transfer.ts';
import { translateRecord } from './translate.ts';
import { type WriteFields, writeFieldsOf } from './write-fields.ts';

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

/** Returns the decision for a record. */
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
  const { create, update } = fields;
  if (!create) return { kind: 'excluded', reason: 'not_writable' };
  // A deleted record that took effect would take effect a second time.
  if (!intent.isNew && hasTakenEffect(resource, intent.record))
    return { kind: 'excluded', reason: 'took_effect' };
  if (!isCreatable(fields, intent.record)) return { kind: 'excluded', reason: 'not_creatable' };
  const { record, missingRelations } = translateRecord(
    transfer,
    resource,
    intent.record,
    immediateFields(fields, deniedFieldsOf(input)),
  );
  const others = otherFields(input);
  const body = withoutEmptyValues({
    ...bodyFrom({ body: fields.createFields }, record).body,
    ...valuesOf(others, intent.record),
  });
  const isSent = ({ responseName }: BodyField) =>
    !isSeparatePerAccount(transfer, resource) || !resource.key.includes(responseName);
  const updateBody = withoutEmptyValues(
    bodyFrom({ body: fields.afterCreateFields.filter(isSent) }, record).body,
  );
  const steps: Step[] = [{ resource: resource.name, verb: create.verb, ids: [], body }];
  if (update && Object.keys(updateBody).length > 0)
    steps.push({ resource: resource.name, verb: update.verb, ids: [recordIdPlaceholder], body: updateBody });
  const links = fields.linkOperations.flatMap((linkOperation) =>
    linkSteps(linkOperation, recordIdPlaceholder, record, undefined),
  );
  const problems = [
    ...missingProblems(missingRelations),
    ...validationProblems(create, body),
    ...validationProblems(update, updateBody),
  ];
  problems.push(...suspectValueProblems(intent.doubts, { ...body, ...updateBody }));
  if (problems.length > 0) return invalidRow(problems);
  const changes = Object.fromEntries(
    Object.entries({ ...body, ...updateBody }).map(([name, value]) => [name, [null, value] as const]),
  );
  return {
    kind: 'row',
    change: { state: 'planned', action: 'create', id: null, steps: [...steps, ...links], changes },
  };
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
  const { record, missingRelations } = translateRecord(
    transfer,
    resource,
    intent.record,
    immediateFields(fields, deniedFieldsOf(input)),
  );
  const steps: Step[] = [];
  if (isDeleted(existing)) {
    const restore = operation(resource, 'restore');
    const baseline = recordSnapshot(resource, existing);
    if (restore) steps.push({ resource: resource.name, verb: restore.verb, ids: [id], known: baseline });
  }
  // A target without such a field would need an update each time.
  const others = otherFields(input).filter(({ name }) => Object.hasOwn(existing, name));
  // Only the same record gets another spelling of its key.
  const isSameRecord = transfer.isSameAccount && existing.id === intent.record.id;
  const isSpelling = ({ responseName: name, field }: BodyField) =>
    resource.key.includes(name) &&
    relateKeys(field, String(existing[name]), String(intent.record[name])) === 'folded';
  const updateFields = [...fields.updateFields, ...others].filter(
    (field) => isSameRecord || !isSpelling(field),
  );
  const newValues = bodyFrom(
    { body: updateFields },
    withoutUnchangedValues({ ...valuesOf(others, intent.record), ...record }, intent.written, existing),
  ).body;
  const { body, changes } = differenceOf(updateFields, newValues, existing);
  if (fields.update && Object.keys(body).length > 0) {
    const baseline = recordSnapshot(resource, existing, Object.keys(changes));
    steps.push({ resource: resource.name, verb: fields.update.verb, ids: [id], body, known: baseline });
  }
  const links = fields.linkOperations.flatMap((linkOperation) => [
    ...linkSteps(linkOperation, id, record, existing),
    ...unlinkSteps(transfer, linkOperation, record, existing),
  ]);
  const problems = [
    ...missingProblems(missingRelations),
    ...validationProblems(fields.update, body),
    ...suspectValueProblems(intent.doubts, body),
    ...(transfer.edited ? damageProblems(resource, changes, transfer.edited) : []),
  ];
  const hasEffect = hasTakenEffect(resource, existing);
  if (problems.length > 0 && !hasEffect) return invalidRow(problems);
  steps.push(...links);
  if (steps.length === 0) return { kind: 'row', change: { state: 'done', action: 'skip', id } };
  if (hasEffect) return { kind: 'excluded', reason: 'target_took_effect' };
  const { updated_at: exportedAt } = intent.record;
  const isStale =
    existing.id === intent.record.id && hasChangedSince(existing, exportedAt as string | undefined);
  if (isStale && transfer.edited?.stale === 'refuse') {
    const problem = `is based on another version of the ${resource.noun} ${id}, which was ${describeLastChange(existing)}; the file has ${exportedAt} (to overwrite it: --stale overwrite)`;
    return invalidRow([{ what: problem }]);
  }
  const allChanges: Changes = { ...changes, ...linkChanges(links) };
  return { kind: 'row', change: { state: 'planned', action: 'update', id, steps, changes: allChanges } };
}

function linkChanges(links: readonly Step[]): Changes {
  return Object.fromEntries(
    links.map(({ verb, ids, body }) => [verb, body ? [null, ids[1]] : [ids[1], null]] as const),
  );
}

/**
 * Omits fields whose value in the target equals the text in the file: the value differs only because it was normalized
 * when it was read.
 */
function withoutUnchangedValues(record: Row, written: TransferIntent['written'], existing: Row): Row {
  if (!written) return record;
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => !isSameText(existing[name] ?? null, written[name])),
  );
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

function missingProblems(missingRelations: readonly string[]): RowProblem[] {
  return [...new Set(missingRelations)].map((column) => ({
    column,
    what: "refers to a record that doesn't exist",
  }));
}

/** Returns the problems of the body of a write, except those of IDs. */
function validationProblems(write: Operation | undefined, body: Row): RowProblem[] {
  if (!write || Object.keys(body).length === 0) return [];
  const resolvedBody = withIds(body, (name) => name);
  const violations = validateBody(write, isRow(resolvedBody) ? resolvedBody : {}, {
    allowsOtherFields: true,
  });
  return Object.entries(violations).flatMap(([path, messages]) =>
    messages.map((text) => ({ column: path === '_' ? undefined : path, what: text })),
  );
}

function invalidRow(problems: readonly RowProblem[]): Decision {
  return { kind: 'row', change: { state: 'bad', action: 'skip', error: rowError(problems) } };
}
