/** The answers of a form: values to send with their text on the screen. A record's current values are answers too. */

import { Failure } from '../base/errors.ts';
import { redactionMarker } from '../base/redaction.ts';
import { isRow, type Row } from '../client/shape.ts';
import type { Field } from '../contract/field.ts';
import type { BodyField, Operation } from '../contract/operation.ts';
import { formatInput, wordOf } from '../contract/value-text.ts';
import { inferTitle } from '../output/wording.ts';
import { isSameInBothDirections } from '../session/diff/values.ts';
import { findReadableRecords } from '../session/find-records.ts';
import type { Session } from '../session/session.ts';
import { spaceAfter } from '../terminal/clean.ts';
import { type NamedRecord, namedRecordOf } from './record-entries.ts';

/** The answer to the question about one field. */
export interface Answer {
  value: unknown;
  /** The text on the screen. */
  display: string;
  /** The related records, if the field is a relation and they were read. */
  records?: readonly NamedRecord[] | undefined;
}

/** The answers of a form by field name. */
export type Answers = ReadonlyMap<string, Answer>;

/** Returns a value as an answer. `related` contains the related records that the record includes. */
export function answerOf(
  field: Field,
  value: unknown,
  related?: unknown,
  records?: readonly NamedRecord[],
): Answer {
  if (field.traits.secret) return { value, display: redactionMarker };
  const relatedRecords = records ?? relatedRecordsIn(field, value, related);
  return { value, display: formatValue(field, value, relatedRecords), records: relatedRecords };
}

/** Returns the current values of a record in the fields of an operation. */
export function currentAnswers(
  { body }: Operation,
  current: { record: Row; body: Row },
): Map<string, Answer> {
  return new Map(
    body.flatMap(({ name, responseName, field }) =>
      Object.hasOwn(current.body, name) && current.body[name] !== null
        ? [[name, answerOf(field, current.body[name], current.record[responseName])] as const]
        : [],
    ),
  );
}

function relatedRecordsIn(field: Field, value: unknown, related?: unknown): NamedRecord[] {
  if (field.kind !== 'one' && field.kind !== 'many') return [];
  const rows = (Array.isArray(related) ? related : [related]).filter(isRow);
  const values = Array.isArray(value) ? value : value == null ? [] : [value];
  return values.map((item) => {
    const id = String(isRow(item) ? item.id : item);
    const record = rows.find((row) => String(row.id) === id);
    return { id, label: (record && inferTitle(record)) || id, record };
  });
}

export const emptyText = 'none';

export function formatValue(field: Field, value: unknown, records: readonly NamedRecord[] = []): string {
  if (value === null || value === undefined || value === '') return emptyText;
  if (field.kind === 'boolean') return value === true ? 'yes' : 'no';
  if (field.kind === 'ring') return `${Array.isArray(value) ? value.length : 0} points`;
  if (field.kind === 'hour' && typeof value === 'number') return `${String(value).padStart(2, '0')}:00`;
  if (Array.isArray(value)) {
    return value.length === 0 ? emptyText : value.map((item) => formatItem(field, item, records)).join(', ');
  }
  if (field.kind === 'one') return records[0]?.label ?? String(value);
  return wordOf(field, value) ?? formatInput(field, value) ?? JSON.stringify(value);
}

/** Returns the text of one entry of a list, with the number of its link: "Tomatoes: 5". */
export function formatItem(field: Field, item: unknown, records: readonly NamedRecord[] = []): string {
  if (!isRow(item)) {
    const label = records.find(({ id }) => id === item)?.label;
    return label ?? wordOf(field, item) ?? String(item);
  }
  const label = records.find(({ id }) => id === String(item.id))?.label ?? String(item.id ?? '');
  const { amountField } = field.traits;
  if (amountField !== undefined && item[amountField] !== undefined) return `${label}: ${item[amountField]}`;
  const otherValues = Object.entries(item).filter(([name]) => name !== 'id');
  if (otherValues.length === 0) return label;
  return [label, otherValues.map(([name, inner]) => `${name} ${String(inner)}`).join(', ')]
    .filter(Boolean)
    .join(': ');
}

/** Returns whether the service treats two values as equal. One of them may have more fields of a link or a nested object. */
export function isSameAnswer(field: Field, before: unknown, after: unknown): boolean {
  const emptyToNull = (value: unknown) => (value === '' ? null : value);
  return isSameInBothDirections(field, emptyToNull(before), emptyToNull(after));
}

/** Returns the text of a change: `old → new`, or the entries that are added to and removed from a list. */
export function describeChange({ field }: BodyField, before: Answer | undefined, after: Answer): string {
  const oldValue = before?.value;
  if (Array.isArray(oldValue) && Array.isArray(after.value) && field.kind !== 'ring') {
    // The current records may have only an ID. Chosen records have a name.
    const records = [...(after.records ?? []), ...(before?.records ?? [])];
    const key = (item: unknown) => String(isRow(item) ? item.id : item);
    const [oldItems, newItems] = [oldValue, after.value].map(
      (list) => new Map(list.map((item) => [key(item), item])),
    );
    const addedItems = after.value.filter((item) => !oldItems?.has(key(item)));
    const removedItems = oldValue.filter((item) => !newItems?.has(key(item)));
    const changedItems = after.value.filter(
      (item) => oldItems?.has(key(item)) && !isSameAnswer(field, [oldItems.get(key(item))], [item]),
    );
    const parts = [
      ...addedItems.map((item) => `+ ${formatItem(field, item, records)}`),
      ...removedItems.map((item) => `- ${formatItem(field, item, records)}`),
      ...changedItems.map((item) =>
        formatTransition(
          formatItem(field, oldItems?.get(key(item)), records),
          formatItem(field, item, records),
        ),
      ),
    ];
    if (parts.length > 0) return parts.join(', ');
  }
  return formatTransition(before?.display ?? emptyText, after.display);
}

function formatTransition(before: string, after: string): string {
  return `${before}${spaceAfter(before)}→ ${after}`;
}

/** Adds the names of related records that have only an ID, if the token may read them. */
export async function addRecordNames(
  session: Session,
  { body }: Operation,
  answers: ReadonlyMap<string, Answer>,
): Promise<Map<string, Answer>> {
  const unnamedIds = new Map<string, Set<string>>();
  for (const { name, field } of body) {
    for (const { id, label } of answers.get(name)?.records ?? []) {
      if (label !== id || field.traits.target === undefined) continue;
      unnamedIds.set(field.traits.target, (unnamedIds.get(field.traits.target) ?? new Set()).add(id));
    }
  }
  const namedRecords = new Map<string, NamedRecord>();
  for (const [target, ids] of unnamedIds) {
    for (const record of await readNames(session, target, [...ids])) namedRecords.set(record.id, record);
  }
  if (namedRecords.size === 0) return new Map(answers);
  return new Map(
    [...answers].map(([name, answer]) => {
      const field = body.find((entry) => entry.name === name)?.field;
      if (!field || !answer.records?.some(({ id }) => namedRecords.has(id))) return [name, answer];
      const records = answer.records.map((record) => namedRecords.get(record.id) ?? record);
      return [name, answerOf(field, answer.value, undefined, records)];
    }),
  );
}

/** Reads records by their IDs. Returns the records that the token may read. */
export async function readNames(
  session: Session,
  target: string,
  ids: readonly string[],
): Promise<NamedRecord[]> {
  const resource = session.api.resource(target);
  if (resource?.list) {
    const records = await findReadableRecords(session, resource, ids);
    return [...records.values()].map((row) => namedRecordOf(resource, row));
  }
  try {
    const references = await session.names.references(target);
    return references.flatMap(({ id, name }) => (ids.includes(id) ? [{ id, label: name }] : []));
  } catch (error) {
    if (!(error instanceof Failure) || error.category === 'interrupted') throw error;
    return [];
  }
}
