/** The answers of a form: values to send with their text on the screen. A record's current values are answers too. */

import { isRow, type Row } from '../../account/client/shape.ts';
import { itemKey, removedValues } from '../../account/session/diff/lists.ts';
import { isSameInBothDirections } from '../../account/session/diff/values.ts';
import { findReadableRecords } from '../../account/session/find-records.ts';
import type { Session } from '../../account/session/session.ts';
import type { Field } from '../../api/contract/field.ts';
import { type BodyField, nestedFields, type Operation } from '../../api/contract/operation.ts';
import { titleField } from '../../api/contract/resource.ts';
import { formatInput, wordOf } from '../../api/contract/value-text.ts';
import { Failure } from '../../base/errors.ts';
import { redactionMarker } from '../../base/redaction.ts';
import { inferTitle } from '../output/wording.ts';
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

export function currentAnswers(
  { body }: Pick<Operation, 'body'>,
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
  if (field.kind === 'objects') {
    const parts = Array.isArray(related) ? related.filter(isRow) : [];
    return nestedFields(field).flatMap(({ name, responseName, field: inner }) =>
      parts.flatMap((part) => relatedRecordsIn(inner, part[responseName] ?? part[name], part[responseName])),
    );
  }
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
  if (field.kind === 'objects') return formatPart(field, item, records);
  const label = records.find(({ id }) => id === String(item.id))?.label ?? String(item.id ?? '');
  const { amountField } = field.traits;
  if (amountField !== undefined && item[amountField] !== undefined) return `${label}: ${item[amountField]}`;
  const otherValues = Object.entries(item).filter(([name]) => name !== 'id');
  if (otherValues.length === 0) return label;
  return [label, otherValues.map(([name, inner]) => `${name} ${String(inner)}`).join(', ')]
    .filter(Boolean)
    .join(': ');
}

/** Returns the text of a nested object with all its values, or those that differ from `before`: "Tahini: price 2.5 → 3". */
function formatPart(field: Field, part: Row, records: readonly NamedRecord[], before?: Row): string {
  const title = titleField(field.traits.fields ?? {});
  const values = nestedFields(field).flatMap((entry) => {
    const { name, responseName, field: inner } = entry;
    const answer = (row: Row) => {
      const ids = relatedRecordsIn(inner, row[name]).map(({ id }) => id);
      return answerOf(
        inner,
        row[name] ?? null,
        undefined,
        records.filter(({ id }) => ids.includes(id)),
      );
    };
    const label = inner.traits.label ?? responseName.replaceAll('_', ' ');
    if (before) {
      const isSame = !Object.hasOwn(part, name) || isSameAnswer(inner, before[name], part[name]);
      return isSame ? [] : [`${label} ${describeChange(entry, answer(before), answer(part))}`];
    }
    const isShown = name !== 'id' && responseName !== title && isFilled(part[name]);
    return isShown ? [`${label} ${answer(part).display}`] : [];
  });
  const name = String((before ?? part)[title ?? ''] ?? part.id ?? '');
  return [name, values.join(', ')].filter(Boolean).join(': ');
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '';
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
    const format = (item: unknown) => formatItem(field, item, records);
    const oldItems = new Map(oldValue.map((item) => [itemKey(item), item]));
    const title = titleField(field.traits.fields ?? {}) ?? '';
    const parts = [
      ...removedValues(after.value, oldValue).map((item) => `+ ${format(item)}`),
      // Of a nested object, the title is enough.
      ...removedValues(oldValue, after.value).map(
        (item) => `- ${(field.kind === 'objects' && isRow(item) && item[title]) || format(item)}`,
      ),
      ...after.value.flatMap((item) => {
        const oldItem = oldItems.get(itemKey(item));
        const isChanged = oldItem !== undefined && !isSameAnswer(field, [oldItem], [item]);
        if (isChanged && field.kind === 'objects' && isRow(oldItem) && isRow(item))
          return [formatPart(field, item, records, oldItem)];
        return isChanged ? [formatTransition(format(oldItem), format(item))] : [];
      }),
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
  { body }: Pick<Operation, 'body'>,
  answers: ReadonlyMap<string, Answer>,
): Promise<Map<string, Answer>> {
  const namedAnswers = new Map(answers);
  for (const { name, field } of body) {
    const { target } = field.traits;
    const { value, records = [] } = answers.get(name) ?? {};
    const unnamedIds = records.filter(({ id, label }) => label === id).map(({ id }) => id);
    if (target === undefined || unnamedIds.length === 0) continue;
    const found = new Map(
      (await readNames(session, target, unnamedIds)).map((record) => [record.id, record]),
    );
    const namedRecords = records.map((record) => found.get(record.id) ?? record);
    namedAnswers.set(name, answerOf(field, value, undefined, namedRecords));
  }
  return namedAnswers;
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
