/** The answers of a form: the value to send and its text on the screen. A record's present values are answers too. */

import { Failure } from '../base/errors.ts';
import { redactionText } from '../base/redaction.ts';
import { isRow, type Row } from '../client/shape.ts';
import type { Field } from '../contract/field.ts';
import type { BodyField, Operation } from '../contract/operation.ts';
import { inputText, wordOf } from '../contract/text.ts';
import { titleOf } from '../output/wording.ts';
import { isSameWhole } from '../session/diff/values.ts';
import { readableRecords } from '../session/readable-records.ts';
import type { Session } from '../session/session.ts';
import { spaceBehind } from '../terminal/isolate.ts';
import { type Found, foundOf } from './record-entries.ts';

/** The answer of a field. */
export interface Answer {
  value: unknown;
  shown: string;
  /** The related records of a relation that were read. */
  found?: readonly Found[] | undefined;
}

/** The answers of a form by field name. */
export type Answers = ReadonlyMap<string, Answer>;

/** Makes the answer for a present or given value. `related` holds the related records that the record contains. */
export function answerFor(field: Field, value: unknown, related?: unknown, known?: readonly Found[]): Answer {
  if (field.traits.secret) return { value, shown: redactionText };
  const found = known ?? foundIn(field, value, related);
  return { value, shown: shownOf(field, value, found), found };
}

/** Returns the present values of a record in the fields of an operation. */
export function presentAnswers(
  { body }: Operation,
  current: { record: Row; body: Row },
): Map<string, Answer> {
  return new Map(
    body.flatMap(({ name, shown, field }) =>
      Object.hasOwn(current.body, name) && current.body[name] !== null
        ? [[name, answerFor(field, current.body[name], current.record[shown])] as const]
        : [],
    ),
  );
}

function foundIn(field: Field, value: unknown, related?: unknown): Found[] {
  if (field.kind !== 'one' && field.kind !== 'many') return [];
  const rows = (Array.isArray(related) ? related : [related]).filter(isRow);
  const values = Array.isArray(value) ? value : value == null ? [] : [value];
  return values.map((one) => {
    const id = String(isRow(one) ? one.id : one);
    const record = rows.find((row) => String(row.id) === id);
    return { id, label: (record && titleOf(record)) || id, record };
  });
}

/** The text of an empty value. */
export const emptyText = 'none';

/** Returns a value in words. */
export function shownOf(field: Field, value: unknown, found: readonly Found[] = []): string {
  if (value === null || value === undefined || value === '') return emptyText;
  if (field.kind === 'boolean') return value === true ? 'yes' : 'no';
  if (field.kind === 'ring') return `${Array.isArray(value) ? value.length : 0} points`;
  if (field.kind === 'hour' && typeof value === 'number') return `${String(value).padStart(2, '0')}:00`;
  if (Array.isArray(value)) {
    return value.length === 0 ? emptyText : value.map((item) => itemShown(field, item, found)).join(', ');
  }
  if (field.kind === 'one') return found[0]?.label ?? String(value);
  return wordOf(field, value) ?? inputText(field, value) ?? JSON.stringify(value);
}

/** Returns one entry of a list in words, with the number of its link: "Tomatoes: 5". */
export function itemShown(field: Field, item: unknown, found: readonly Found[] = []): string {
  if (!isRow(item)) {
    const label = found.find(({ id }) => id === item)?.label;
    return label ?? wordOf(field, item) ?? String(item);
  }
  const label = found.find(({ id }) => id === String(item.id))?.label ?? String(item.id ?? '');
  const { amount } = field.traits;
  if (amount !== undefined && item[amount] !== undefined) return `${label}: ${item[amount]}`;
  const others = Object.entries(item).filter(([name]) => name !== 'id');
  if (others.length === 0) return label;
  return [label, others.map(([name, inner]) => `${name} ${String(inner)}`).join(', ')]
    .filter(Boolean)
    .join(': ');
}

/** Returns whether the service takes two values as equal, even if one of them has more fields of a link or a part. */
export function isSameAnswer(field: Field, one: unknown, other: unknown): boolean {
  const [before, after] = [one, other].map((value) => (value === '' ? null : value));
  return isSameWhole(field, before, after);
}

/** Returns a change in words: `old → new`, or what is added to and removed from a list. */
export function changeShown({ field }: BodyField, before: Answer | undefined, after: Answer): string {
  const old = before?.value;
  if (Array.isArray(old) && Array.isArray(after.value) && field.kind !== 'ring') {
    // Present records may have only an id; chosen ones have a name.
    const found = [...(after.found ?? []), ...(before?.found ?? [])];
    const key = (item: unknown) => String(isRow(item) ? item.id : item);
    const [was, is] = [old, after.value].map((list) => new Map(list.map((item) => [key(item), item])));
    const added = after.value.filter((item) => !was?.has(key(item)));
    const lost = old.filter((item) => !is?.has(key(item)));
    const changed = after.value.filter(
      (item) => was?.has(key(item)) && !isSameAnswer(field, [was.get(key(item))], [item]),
    );
    const parts = [
      ...added.map((item) => `+ ${itemShown(field, item, found)}`),
      ...lost.map((item) => `- ${itemShown(field, item, found)}`),
      ...changed.map((item) =>
        fromTo(itemShown(field, was?.get(key(item)), found), itemShown(field, item, found)),
      ),
    ];
    if (parts.length > 0) return parts.join(', ');
  }
  return fromTo(before?.shown ?? emptyText, after.shown);
}

function fromTo(before: string, after: string): string {
  return `${before}${spaceBehind(before)}→ ${after}`;
}

/** Adds the names of related records that have only an id, if the token may read them. */
export async function withNames(
  session: Session,
  { body }: Operation,
  answers: ReadonlyMap<string, Answer>,
): Promise<Map<string, Answer>> {
  const missing = new Map<string, Set<string>>();
  for (const { name, field } of body) {
    for (const { id, label } of answers.get(name)?.found ?? []) {
      if (label !== id || field.traits.target === undefined) continue;
      missing.set(field.traits.target, (missing.get(field.traits.target) ?? new Set()).add(id));
    }
  }
  const known = new Map<string, Found>();
  for (const [target, ids] of missing) {
    for (const found of await readNames(session, target, [...ids])) known.set(found.id, found);
  }
  if (known.size === 0) return new Map(answers);
  return new Map(
    [...answers].map(([name, answer]) => {
      const field = body.find((entry) => entry.name === name)?.field;
      if (!field || !answer.found?.some(({ id }) => known.has(id))) return [name, answer];
      const found = answer.found.map((one) => known.get(one.id) ?? one);
      return [name, answerFor(field, answer.value, undefined, found)];
    }),
  );
}

/** Reads the records with the given ids. Returns those that the token may read. */
export async function readNames(session: Session, target: string, ids: readonly string[]): Promise<Found[]> {
  const resource = session.api.resource(target);
  if (resource?.list) {
    const records = await readableRecords(session, resource, ids);
    return [...records.values()].map((row) => foundOf(resource, row));
  }
  try {
    const known = await session.references(target);
    return known.flatMap(({ id, name }) => (ids.includes(id) ? [{ id, label: name }] : []));
  } catch (error) {
    if (!(error instanceof Failure) || error.category === 'interrupted') throw error;
    return [];
  }
}
