/** Answers of a form: what is sent, and how people see it. What a record holds now is an answer like any other. */
import { isRow, type Row } from '../../client/shape.ts';
import type { Field } from '../../contract/field.ts';
import type { BodyField, Operation } from '../../contract/operation.ts';
import { typedText, wordOf } from '../../contract/text.ts';
import { mask } from '../../mask.ts';
import { isSame } from '../../session/same-value.ts';
import { spaceBehind } from '../../terminal/isolate.ts';
import { titleOf } from '../output/wording.ts';
import type { Found } from './record-entries.ts';

export interface Answer {
  value: unknown;
  shown: string;
  /** The records behind a relation, as far as they are known. */
  found?: readonly Found[] | undefined;
}

export type Answers = ReadonlyMap<string, Answer>;

/** What a record holds, or what was given on the line: `related` is what the record shows of a relation. */
export function answerFor(field: Field, value: unknown, related?: unknown, known?: readonly Found[]): Answer {
  if (field.traits.secret) return { value, shown: mask };
  const found = known ?? foundIn(field, value, related);
  return { value, shown: shownOf(field, value, found), found };
}

/** What a record holds in the fields of an operation. */
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

/** In a person’s words. */
export function shownOf(field: Field, value: unknown, found: readonly Found[] = []): string {
  if (value === null || value === undefined || value === '') return 'nothing';
  if (field.kind === 'boolean') return value === true ? 'yes' : 'no';
  if (field.kind === 'ring') return `${Array.isArray(value) ? value.length : 0} points`;
  if (field.kind === 'hour' && typeof value === 'number') return `${String(value).padStart(2, '0')}:00`;
  if (Array.isArray(value)) {
    return value.length === 0 ? 'nothing' : value.map((item) => itemShown(field, item, found)).join(', ');
  }
  if (field.kind === 'one') return found[0]?.label ?? String(value);
  return wordOf(field, value) ?? typedText(field, value) ?? JSON.stringify(value);
}

/** One entry of a list, with the number that its link carries. */
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

/** Whether two answers are the same to the service: the order of a list of relations or words says nothing. */
export function isSameValue(field: Field, one: unknown, other: unknown): boolean {
  if (field.kind === 'ring') return isSame(field, one, other);
  if (field.kind === 'objects' || !Array.isArray(one) || !Array.isArray(other)) {
    return sorted(one) === sorted(other);
  }
  const keys = (list: unknown[]) => list.map(sorted).sort().join('\n');
  return keys(one) === keys(other);
}

/** JSON with its keys in order. */
function sorted(value: unknown): string {
  if (value === undefined || value === null || value === '') return '';
  return JSON.stringify(value, (_, inner) =>
    isRow(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

/** What a field is on the left of a line, and what becomes of it on the right. */
export function changeShown({ field }: BodyField, before: Answer | undefined, after: Answer): string {
  const old = before?.value;
  if (Array.isArray(old) && Array.isArray(after.value) && field.kind !== 'ring') {
    // What a record holds may be known by its id alone; what was chosen just now is known by name.
    const found = [...(after.found ?? []), ...(before?.found ?? [])];
    const key = (item: unknown) => String(isRow(item) ? item.id : item);
    const [was, is] = [old, after.value].map((list) => new Map(list.map((item) => [key(item), item])));
    const added = after.value.filter((item) => !was?.has(key(item)));
    const lost = old.filter((item) => !is?.has(key(item)));
    const changed = after.value.filter(
      (item) => was?.has(key(item)) && sorted(was.get(key(item))) !== sorted(item),
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
  return fromTo(before?.shown ?? 'nothing', after.shown);
}

function fromTo(before: string, after: string): string {
  return `${before}${spaceBehind(before)}→ ${after}`;
}
