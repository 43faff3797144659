/** Plans an undo: reads each record, keeps later changes by others, and adds the requests to a ledger. */

import {
  changeState,
  isSameLink,
  linkValues,
  type MaybeKnown,
} from '../../../account/session/diff/fields.ts';
import { isSameWithoutIds, withExistingPartIds } from '../../../account/session/diff/values.ts';
import { RecordBatch, recordKey } from '../../../account/session/find-by-key.ts';
import { bodyFrom, relationsToInclude } from '../../../account/session/record-body.ts';
import { isRow, type Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import type { Field } from '../../../api/contract/field.ts';
import { fieldsToInclude } from '../../../api/contract/include.ts';
import {
  emptyValue,
  hasTakenEffect,
  irreversibleChange,
  irreversibleEffects,
} from '../../../api/contract/irreversible.ts';
import { type BodyField, type Effect, type Operation, operation } from '../../../api/contract/operation.ts';
import { otherBodyFields, otherFieldsOf } from '../../../api/contract/other-fields.ts';
import { titleField } from '../../../api/contract/resource.ts';
import { validateBody } from '../../../api/contract/validate.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import type { Action, NewRow } from '../../runs/ledger/row.ts';
import { skippedMessage } from '../../runs/recheck-rows.ts';
import type { Entry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { entryNumbered, otherWriteTo } from '../journal/reading.ts';
import { changedSince } from './changed-since.ts';
import { RecordState, type UndoRecords } from './record-state.ts';
import { type Group, inDependencyOrder, UndoOrder, undoRecordsOf } from './undo-order.ts';

/** The input for planning an undo. */
export interface UndoPlan {
  journal: Journal;
  session: Session;
  ledger: Ledger;
  /** The numbers of the writes to undo, newest first. */
  numbers: readonly number[];
  /** Limits the undo to this field, by its name in responses or requests. */
  field?: string | undefined;
  /** Called with a sentence about what can't be restored exactly. */
  onNote?: ((message: string) => void) | undefined;
}

/** The number of records that are read and planned at a time. */
const batchRecords = 500;

/**
 * Adds a row for each record, the most recently written first, and another row for the parts that can't be undone.
 * Returns whether any of the writes changed the given field.
 */
export async function planUndo(plan: UndoPlan): Promise<boolean> {
  const groups = inDependencyOrder(groupsOf(plan), plan.session.api);
  let hasField = plan.field === undefined;
  const order = new UndoOrder(groups);
  const undoRecords = undoRecordsOf(groups);
  for (let from = 0; from < groups.length; from += batchRecords) {
    const batch = groups
      .slice(from, from + batchRecords)
      .map(({ numbers }) => numbers.flatMap((number) => entryNumbered(plan.journal, number) ?? []));
    const records = await recordsOf(batch, plan);
    plan.ledger.add(batch.flatMap((group) => rowsFor(group, records, { ...plan, order, undoRecords })));
    hasField ||= batch.flat().some((entry) => writesField(entry, plan.field ?? ''));
  }
  order.storeDependencies(plan.ledger);
  return hasField;
}

/** Returns whether a write changed a field, by its name in responses or requests. */
function writesField({ fields, sent }: Entry, field: string): boolean {
  return fields.includes(field) || Object.hasOwn(Object(sent?.request.body), field);
}

/** Groups the writes by record, the most recently written first. */
function groupsOf({ journal, numbers, session }: UndoPlan): Group[] {
  const groups = new Map<string, { numbers: number[]; effects: Set<Effect> } & Omit<Group, 'numbers'>>();
  for (const number of numbers) {
    const { resource, id, verb } =
      journal.database.get('SELECT resource, id, verb FROM entries WHERE number = ?', number) ?? {};
    const key = resource === null || id === null ? `${number}` : JSON.stringify([resource, id]);
    const knownResource = typeof resource === 'string' ? session.api.resource(resource) : undefined;
    const group = groups.get(key) ?? {
      resource: knownResource,
      id: typeof id === 'string' ? id : undefined,
      numbers: [],
      effects: new Set(),
      first: undefined,
    };
    const effect = knownResource && operation(knownResource, String(verb))?.effect;
    if (effect) group.effects.add(effect);
    if (effect === 'create' || effect === 'delete' || effect === 'restore') group.first = effect;
    group.numbers.push(number);
    groups.set(key, group);
  }
  return [...groups.values()];
}

async function recordsOf(groups: readonly Entry[][], { session }: UndoPlan): Promise<Map<string, Row>> {
  const batch = new RecordBatch();
  for (const { resource: name, id, verb, sent } of groups.flat()) {
    const resource = name === null ? undefined : session.api.resource(name);
    if (!resource || id === null) continue;
    const { ids, include } = batch.idsOf(resource);
    ids.add(id);
    const write = verb === null ? undefined : operation(resource, verb);
    const links = write?.link ? [write.link.field] : [];
    const sentFields = Object.keys(Object(sent?.request.body));
    const updatedFields =
      write?.effect === 'update' ? write.body.filter((entry) => sentFields.includes(entry.name)) : [];
    for (const path of [...fieldsToInclude(resource, links), ...relationsToInclude({ body: updatedFields })])
      include.add(path);
  }
  return batch.read(session);
}

function rowsFor(
  group: readonly Entry[],
  records: ReadonlyMap<string, Row>,
  plan: UndoPlan & { order: UndoOrder; undoRecords: UndoRecords },
): NewRow[] {
  const { session, field, order, undoRecords } = plan;
  const [newestEntry] = group;
  if (!newestEntry) return [];
  const resource = newestEntry.resource === null ? undefined : session.api.resource(newestEntry.resource);
  if (!resource || newestEntry.id === null)
    return group.map((entry) => skippedEntryRow(entry, reasonNotUndoable(entry)));
  const state = new RecordState(
    resource,
    newestEntry.id,
    records.get(recordKey(resource, newestEntry.id)),
    undoRecords,
  );
  const notUndone = group.flatMap((entry): NotUndone[] => {
    const write = entry.verb === null ? undefined : operation(resource, entry.verb);
    if (!write) return [{ number: entry.number, reason: "this version of boh doesn't know its verb" }];
    // A create, delete or link can't be undone for one field only.
    if (field !== undefined && write.effect !== 'update' && write.link?.field !== field) return [];
    const reason = write.effect === 'create' ? reasonForDoubt(entry, plan) : undefined;
    return reason === undefined ? undoEntry(entry, write, state, field) : [{ number: entry.number, reason }];
  });
  for (const message of state.notes) plan.onNote?.(message);
  const plannedRows = plannedRow(state).flatMap((row) => order.rowsFor(state, row, newestEntry.number));
  return [...plannedRows, ...skippedRows(state, notUndone, plan)];
}

/**
 * Returns the reason why a create can't be undone: the record may have existed before, or another write may have
 * created it.
 */
function reasonForDoubt({ number, resource, id }: Entry, { journal }: UndoPlan): string | undefined {
  if (resource === null || id === null) return undefined;
  const otherWrite = otherWriteTo(journal, { number, resource, id });
  if (!otherWrite) return undefined;
  return otherWrite.verb === 'create'
    ? `the service returned the same ID for entry ${otherWrite.number}, which created another record`
    : `entry ${otherWrite.number} wrote to it before it was created`;
}

function plannedRow(state: RecordState): NewRow[] {
  const { resource, id, steps } = state;
  const effects = steps.map(({ verb }) => operation(resource, verb)?.effect);
  if (steps.length === 0) return [];
  const action = (['delete', 'restore', 'update', 'link', 'unlink'] as const).find((effect) =>
    effects.includes(effect),
  );
  return [
    {
      ...rowOf(state),
      state: 'planned',
      action: action as Action,
      id,
      steps: [...steps],
      changes: state.changes(),
    },
  ];
}

function skippedRows(state: RecordState, allNotUndone: readonly NotUndone[], plan: UndoPlan): NewRow[] {
  const byReason = new Map<string, NotUndone[]>();
  for (const notUndone of allNotUndone) {
    const recordPart = {
      resource: state.resource.name,
      id: state.id,
      field: notUndone.field,
      linkedId: notUndone.linkedId,
    };
    const author = notUndone.isChanged
      ? `, ${changedSince(plan.journal, recordPart, notUndone, state.record)}`
      : '';
    const reason = notUndone.reason + author;
    byReason.set(reason, [...(byReason.get(reason) ?? []), notUndone]);
  }
  return [...byReason].map(([reason, parts]) => {
    const fields = [
      ...new Set(parts.flatMap(({ field, linkedId }) => [field, linkedId].filter(Boolean).join(' ') || [])),
    ];
    const numbers = [...new Set(parts.map(({ number }) => number))];
    const message = skippedMessage(fields, reason);
    return {
      ...rowOf(state),
      state: 'bad',
      action: 'skip',
      id: state.id,
      error: { category: 'partial', message, fields: null, entries: numbers },
    };
  });
}

function rowOf(state: RecordState): Pick<NewRow, 'line' | 'key' | 'resource'> & { line: null } {
  return { line: null, key: recordLabel(state), resource: state.resource.name };
}

function recordLabel({ resource, id, record }: RecordState): string {
  const { title } = resource;
  const name = title === undefined ? undefined : record?.[title];
  return typeof name === 'string' && name !== '' ? `"${name}" (${id})` : id;
}

function skippedEntryRow({ number }: Entry, reason: string): NewRow {
  return {
    line: null,
    key: `entry ${number}`,
    state: 'bad',
    action: 'skip',
    error: { category: 'partial', message: skippedMessage([], reason), entries: [number] },
  };
}

function reasonNotUndoable({ isForgotten, resource, outcome }: Entry): string {
  if (isForgotten) return 'its content was deleted';
  if (resource === null) return 'the changes of the request are unknown';
  return outcome === 'unknown'
    ? 'its outcome and the created record are unknown'
    : "the service didn't return its ID";
}

/** A part of a write that isn't undone: one field, or the whole write. */
interface NotUndone {
  number: number;
  field?: string;
  /** For a link, the ID of the other record; other links of the field are not affected. */
  linkedId?: string;
  reason: string;
  /** Set if the part was changed since the write. */
  isChanged?: true;
}

/** Applies the undo to `state`. Returns the parts that aren't undone. */
function undoEntry(entry: Entry, write: Operation, state: RecordState, onlyField?: string): NotUndone[] {
  const createNotUndone = (reason: string): NotUndone[] => [{ number: entry.number, reason }];
  if (entry.isForgotten) return createNotUndone('its content was deleted');
  switch (write.effect) {
    case 'create':
      return undoCreation(entry, write, state);
    case 'update':
      return undoUpdate(entry, write, state, onlyField);
    case 'delete':
      if (state.exists) return [];
      if (!write.inverse) return createNotUndone(irreversibleEffects(write, {}).join(' '));
      if (!state.isDeleted) return createNotUndone('it no longer exists');
      state.restore();
      return [];
    case 'restore':
      if (!state.exists) return [];
      if (!write.inverse) return createNotUndone("it can't be deleted again");
      state.remove({ isNew: false });
      return [];
    case 'link':
    case 'unlink':
      return undoLink(entry, write, state);
    default:
      return createNotUndone(irreversibleEffects(write, {}).join(' ') || "it can't be undone");
  }
}

function undoCreation(entry: Entry, write: Operation, state: RecordState): NotUndone[] {
  if (!state.exists) return [];
  const { resource } = write;
  const remove = operation(resource, 'delete');
  if (!remove) return [{ number: entry.number, reason: irreversibleEffects(write, {}).join(' ') }];
  const createdRecord = entry.answered?.after;
  const body = isRow(entry.sent?.request.body) ? entry.sent.request.body : {};
  const effectiveRecord = [body, createdRecord, state.record].find(
    (row) => row && hasTakenEffect(resource, row),
  );
  if (effectiveRecord && effectiveRecord !== state.record)
    return [{ number: entry.number, reason: effectReason(write, effectiveRecord) }];
  const update = operation(resource, 'update');
  const createdBody = createdRecord && update ? bodyFrom(update, createdRecord).body : body;
  const changedFields = update ? state.differing(update, createdBody) : [];
  if (changedFields.length > 0) {
    return changedFields.map(({ responseName }) => ({
      number: entry.number,
      field: responseName,
      reason: 'it was changed after its creation',
      isChanged: true,
    }));
  }
  if (effectiveRecord) return [{ number: entry.number, reason: effectReason(write, effectiveRecord) }];
  state.remove({ isNew: true });
  return [];
}

/** Returns the reason why a record that has taken effect isn't deleted: its effect would remain. */
function effectReason(create: Operation, effectiveRecord: Row): string {
  const names = Object.keys(create.resource.effectiveWhen ?? {});
  return (
    irreversibleEffects(create, Object.fromEntries(names.map((name) => [name, effectiveRecord[name]])))[0] ??
    ''
  );
}

function undoUpdate(
  entry: Entry,
  write: Operation,
  state: RecordState,
  onlyField: string | undefined,
): NotUndone[] {
  const { number, sent, answered } = entry;
  const sentFields = isRow(sent?.request.body) ? sent.request.body : {};
  // An update may have emptied fields outside the API document without sending them.
  const others = otherBodyFields(write.resource, sentFields, sent?.before ?? {}).filter(
    ({ name }) => !write.body.some((bodyField) => bodyField.name === name),
  );
  const isLost = (name: string) =>
    others.some((other) => other.name === name) &&
    Object.hasOwn(answered?.after ?? {}, name) &&
    !Object.hasOwn(otherFieldsOf(write.resource, answered?.after ?? {}), name);
  const fields = [...write.body, ...others].filter(
    ({ name, responseName }) =>
      (Object.hasOwn(sentFields, name) || isLost(name)) &&
      (onlyField === undefined || onlyField === responseName || onlyField === name),
  );
  if (!state.exists) return [{ number, reason: state.isDeleted ? 'it is deleted' : 'it no longer exists' }];
  const notUndone: NotUndone[] = [];
  for (const entryField of fields) {
    const { responseName } = entryField;
    const reason = undoField(write, entryField, entry, sentFields, state);
    if (reason === undefined) continue;
    notUndone.push({ number, field: responseName, ...reason });
  }
  for (const name of Object.keys(sentFields)) {
    if (onlyField === undefined && ![...write.body, ...others].some((bodyField) => bodyField.name === name))
      notUndone.push({ number, field: name, reason: 'the field is unknown' });
  }
  return notUndone;
}

/** Returns undefined if the field is undone, or already has its earlier value. */
function undoField(
  write: Operation,
  entryField: BodyField,
  { sent, answered }: Entry,
  sentFields: Row,
  state: RecordState,
): Pick<NotUndone, 'reason' | 'isChanged'> | undefined {
  const { name, field } = entryField;
  const irreversibleReason = irreversibleChange(write, entryField, sentFields[name]);
  const before = sent?.before ? valueIn(entryField, sent.before) : undefined;
  const after = (answered?.after && valueIn(entryField, answered.after)) ?? { value: sentFields[name] };
  const isEqual = (a: unknown, b: unknown) => isSameWithoutIds(field, a, b);
  if (irreversibleReason !== undefined && !(before && isEqual(before.value, after.value)))
    return { reason: irreversibleReason };
  if (!before) return { reason: `its earlier value is unknown${sent?.missing ? `: ${sent.missing}` : ''}` };
  const isUnchanged = state.isUnchangedSince(entryField, after.value);
  const current = state.valueOf(entryField);
  if (!current) return { reason: "the service doesn't return its current value" };
  const change = changeState({ current, before: after, desired: before }, isEqual);
  if (change === 'done') return undefined;
  if (change === 'changed' && !isUnchanged && !isEqual(current.value, sentFields[name]))
    return { reason: 'it was changed since', isChanged: true };
  const { immutableFields = [], noun } = write.resource;
  if (
    immutableFields.includes(entryField.responseName) &&
    state.record &&
    hasTakenEffect(write.resource, state.record)
  )
    return { reason: `the ${noun} has taken effect and can't be changed` };
  const acceptedTarget = acceptedValue(
    entryField,
    state.update,
    withExistingPartIds(field, before.value, current.value),
  );
  if (!acceptedTarget) return { reason: 'it was empty, and the API has no way to clear it' };
  const newNames = namesWithoutId(field, acceptedTarget.value, before.value);
  if (newNames.length > 0)
    state.notes.push(`${recordLabel(state)}: ${newNames.join(', ')} will be created again with a new ID.`);
  state.set(entryField, acceptedTarget.value);
  return undefined;
}

/** Returns the titles of nested objects that had an ID and are sent without it. */
function namesWithoutId({ kind, traits }: Field, value: unknown, before: unknown): string[] {
  if (kind !== 'objects' || !Array.isArray(value) || !Array.isArray(before)) return [];
  const title = titleField(traits.fields ?? {}) ?? '';
  return value
    .filter((part, index) => isRow(part) && part.id === undefined && before[index]?.id !== undefined)
    .map((part) => String(part[title] ?? 'an entry'));
}

function valueIn(entryField: BodyField, record: Row): MaybeKnown {
  const { name, responseName } = entryField;
  const { body, unknown } = bodyFrom({ body: [entryField] }, record);
  if (Object.hasOwn(body, name)) return { value: body[name] };
  // The value is null although requests have no null: the field was empty.
  return unknown.includes(name) || !Object.hasOwn(record, responseName) ? undefined : { value: null };
}

/** Returns the value in a format that the API accepts, if it is empty; undefined if there is no such format. */
function acceptedValue(entryField: BodyField, update: Operation | undefined, value: unknown): MaybeKnown {
  if (!update) return undefined;
  const { name, field } = entryField;
  const candidates = value === '' || value === null ? [{ value }, emptyValue(field)] : [{ value }];
  return candidates.find(
    (candidate) =>
      candidate &&
      Object.keys(validateBody(update, { [name]: candidate.value }, { allowsOtherFields: true })).length ===
        0,
  );
}

function undoLink(entry: Entry, write: Operation, state: RecordState): NotUndone[] {
  const { number, sent, answered } = entry;
  const { link, effect, inverse } = write;
  const linkedId = sent?.ids[1];
  const createNotUndone = (reason: string, isChanged?: true): NotUndone[] => [
    {
      number,
      ...(link && { field: link.field }),
      ...(linkedId !== undefined && { linkedId }),
      reason,
      ...(isChanged && { isChanged }),
    },
  ];
  if (!link || linkedId === undefined) return createNotUndone('the link is unknown');
  if (!state.exists) return createNotUndone('the record no longer exists');
  const [set, unset] = effect === 'link' ? [write, inverse] : [inverse, write];
  if (!set || !unset) return createNotUndone("it can't be undone");
  if (!Array.isArray(sent?.before?.[link.field]))
    return createNotUndone(`its earlier value is unknown${sent?.missing ? `: ${sent.missing}` : ''}`);
  if (!state.canSee(link.field)) return createNotUndone("the service doesn't return its current value");
  const before = linkValues(sent?.before ?? {}, link.field, linkedId, set);
  if (effect === 'unlink' && !before)
    return createNotUndone("the service didn't return the values of the link");
  const sentFields = isRow(sent.request.body) ? sent.request.body : {};
  const returnedLink = linkValues(answered?.after ?? undefined, link.field, linkedId, set);
  if (effect === 'link') state.keepCurrentLink(set, linkedId, returnedLink ?? { ...before, ...sentFields });
  const current = state.linkOf(link.field, linkedId, set);
  const isEqual = (a?: Row, b?: Row) => isSameLink(set, a, b, { isWhole: true });
  const change = changeState(
    {
      current: { value: current },
      before: { value: effect === 'link' ? returnedLink : undefined },
      desired: { value: before },
    },
    isEqual,
  );
  if (change === 'done') return [];
  const isAsSent = effect === 'link' && isSameLink(set, current, sentFields);
  if (change === 'changed' && !isAsSent) return createNotUndone('it was changed since', true);
  state.setLink({ operation: set, linkedId, values: before, isWhole: true });
  return [];
}
