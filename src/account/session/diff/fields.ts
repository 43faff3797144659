/** Compares a record with its desired state, and decides whether a planned change still applies. */

import type { BodyField, Operation } from '../../../api/contract/operation.ts';
import { redactionMarker } from '../../../base/redaction.ts';
import { bodyFrom, linkTo, pivotOf } from '../record-body.ts';
import type { Row } from '../row.ts';
import { type ListMerge, mergeLists } from './lists.ts';
import { isSameValue } from './values.ts';

/** A field before and after a change; null if it is empty or unknown. A secret is redacted. */
export interface FieldChange {
  old: unknown;
  new: unknown;
}

/**
 * The changes as ledgers store them: the old and the new value of each field by its name in responses. An unknown old
 * value is undefined.
 */
export type Changes = Record<string, readonly [unknown, unknown]>;

/** The values that an update has to send. */
export interface Difference {
  /** The values of the request body. */
  body: Row;
  changes: Changes;
}

/**
 * Returns the desired values that differ from the record. `fields` are the fields that a request accepts. A field that
 * the record doesn't contain counts as different, because it can't be compared.
 */
export function differenceOf(
  fields: readonly BodyField[],
  desired: Row,
  record: Row,
  merge: ListMerge = 'replace',
): Difference {
  const desiredFields = fields.filter(({ name }) => Object.hasOwn(desired, name));
  const current = bodyFrom({ body: desiredFields }, record);
  const body: Row = {};
  const changes: Changes = {};
  for (const { name, responseName, field } of desiredFields) {
    const currentValue = Object.hasOwn(current.body, name) ? current.body[name] : undefined;
    const isUnknown = current.unknown.includes(name);
    const desiredValue = mergeLists(field, currentValue, desired[name], merge);
    if (!isUnknown && isSameValue(field, currentValue ?? null, desiredValue)) continue;
    body[name] = desiredValue;
    const isRedacted = field.traits.secret && desiredValue !== null;
    changes[responseName] = [
      isUnknown ? undefined : (currentValue ?? null),
      isRedacted ? redactionMarker : desiredValue,
    ];
  }
  return { body, changes };
}

/** A value, if it is known. */
export type MaybeKnown<Value = unknown> = { value: Value } | undefined;

/**
 * Compares a planned change with the current value, and returns its state. `done`: the field already has the desired
 * value. `due`: it still has the value `before`, or can't be compared. `changed`: another write has changed it.
 */
export function changeState<Value>(
  {
    current,
    before,
    desired,
  }: { current: MaybeKnown<Value>; before: MaybeKnown<Value>; desired: MaybeKnown<Value> },
  isEqual: (a: Value, b: Value) => boolean,
): 'done' | 'due' | 'changed' {
  if (current && desired && isEqual(current.value, desired.value)) return 'done';
  return !current || !before || isEqual(current.value, before.value) ? 'due' : 'changed';
}

/** Returns the values of a record's link, as a request would set them; undefined if there is no link. */
export function linkValues(
  record: Row | undefined,
  field: string,
  linkedId: string | undefined,
  linkOperation: Pick<Operation, 'body'>,
): Row | undefined {
  const link = linkTo(record, field, linkedId);
  return link && bodyFrom(linkOperation, pivotOf(link)).body;
}

/** Returns whether a link has the desired values: compares only the values in `desired`, or all values with `isWhole`. */
export function isSameLink(
  { body: fields }: { body: readonly BodyField[] },
  current: Row | undefined,
  desired: Row | undefined,
  { isWhole = false } = {},
): boolean {
  if (!current || !desired) return current === desired;
  return fields.every(
    ({ name, field }) =>
      (!isWhole && !Object.hasOwn(desired, name)) ||
      isSameValue(field, current[name] ?? null, desired[name] ?? null),
  );
}

/** Returns the changes that setting a link makes; empty if it is already set. */
export function linkChanges(linkOperation: Operation, body: Row, record: Row, linkedId: string): Changes {
  const { field = 'link' } = linkOperation.link ?? {};
  const link = linkTo(record, field, linkedId);
  const { changes } = differenceOf(linkOperation.body, body, pivotOf(link));
  return link ? changes : { ...changes, [field]: [null, linkedId] };
}
