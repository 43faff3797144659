/** Applies the undo of one write to the state of its record, without sending requests. */
import {
  emptyValue,
  hasTakenEffect,
  irreversibleChange,
  irreversibleEffects,
} from '../../contract/irreversible.ts';
import { type BodyField, type Operation, operation } from '../../contract/operation.ts';
import { otherBodyFields, otherFieldsOf } from '../../contract/other-fields.ts';
import { validateBody } from '../../contract/validate.ts';
import { changeState, isSameLink, linkValues, type MaybeKnown } from '../../session/diff/fields.ts';
import { isSameWithoutIds, withExistingPartIds } from '../../session/diff/values.ts';
import { bodyFrom } from '../../session/record-body.ts';
import { isRow, type Row } from '../../session/row.ts';
import type { Entry } from '../journal/entry.ts';
import type { RecordState } from './record-state.ts';

/** A part of a write that isn't undone: one field, or the whole write. */
export interface NotUndone {
  number: number;
  field?: string;
  /** For a link, the ID of the other record; other links of the field are not affected. */
  linkedId?: string;
  reason: string;
  /** Set if the part was changed since the write. */
  isChanged?: true;
}

/** Applies the undo to `state`. Returns the parts that aren't undone. */
export function undoEntry(
  entry: Entry,
  write: Operation,
  state: RecordState,
  onlyField?: string,
): NotUndone[] {
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
  state.set(entryField, acceptedTarget.value);
  return undefined;
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
