/** Fields that hold parts with ids of their own: a part that is gone comes back as a new one, and is the same to people. */
import type { Field } from '../../contract/field.ts';
import { isRow } from '../../session/row.ts';
import { isSame } from '../../session/same-value.ts';

/** Whether a field says the same, whatever its parts are called. */
export function isAlike(field: Field, one: unknown, other: unknown): boolean {
  return isSame(field, withoutIds(field, one), withoutIds(field, other));
}

/** As it can be sent where `now` is there: an id of a part that is gone names nothing. */
export function withPartsOf(field: Field, value: unknown, now: unknown): unknown {
  if (field.kind !== 'objects' || !Array.isArray(value)) return value;
  const there = new Set(Array.isArray(now) ? now.filter(isRow).map(({ id }) => id) : []);
  return value.map((part) => (isRow(part) && !there.has(part.id) ? withoutId(part) : part));
}

function withoutIds(field: Field, value: unknown): unknown {
  if (field.kind !== 'objects' || !Array.isArray(value)) return value;
  return value.map((part) => (isRow(part) ? withoutId(part) : part));
}

function withoutId({ id: _, ...part }: Readonly<Record<string, unknown>>) {
  return part;
}
