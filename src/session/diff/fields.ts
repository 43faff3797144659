/** What differs between a record and what is wanted of it, field by field; and whether a planned change still applies. */
import { redactionText } from '../../base/redaction.ts';
import type { BodyField, Operation } from '../../contract/operation.ts';
import { bodyFrom, linkTo, pivotOf } from '../record-body.ts';
import type { Row } from '../row.ts';
import { type ListMerge, mergedList } from './lists.ts';
import { isSame } from './values.ts';

/** A field before a change and after it; null where it is empty, or not known. A secret is masked. */
export interface FieldChange {
  old: unknown;
  new: unknown;
}

/** The same as ledgers store it: old and new by the names of answers; undefined where the old value is not known. */
export type Changes = Record<string, readonly [unknown, unknown]>;

/** What an update has to send. */
export interface Difference {
  /** By the names of requests. */
  body: Row;
  changes: Changes;
}

/**
 * Returns the given values that the record doesn't have. `fields` are those that a request takes. What a record doesn't
 * show counts as different: it can't be compared.
 */
export function differenceOf(
  fields: readonly BodyField[],
  given: Row,
  record: Row,
  merge: ListMerge = 'replace',
): Difference {
  const compared = fields.filter(({ name }) => Object.hasOwn(given, name));
  const current = bodyFrom({ body: compared }, record);
  const body: Row = {};
  const changes: Changes = {};
  for (const { name, shown, field } of compared) {
    const is = Object.hasOwn(current.body, name) ? current.body[name] : undefined;
    const isUnknown = current.unknown.includes(name);
    const will = mergedList(field, is, given[name], merge);
    if (!isUnknown && isSame(field, is ?? null, will)) continue;
    body[name] = will;
    const isRedacted = field.traits.secret && will !== null;
    changes[shown] = [isUnknown ? undefined : (is ?? null), isRedacted ? redactionText : will];
  }
  return { body, changes };
}

/** A value, where it is known. */
export type Known<Value = unknown> = { value: Value } | undefined;

/**
 * Compares a planned change with the value that is there `now`, the one that was there `before`, and the `wanted` one.
 * `done`: the value is as wanted · `due`: it is as it was, or can't be compared · `changed`: another write has changed it.
 */
export function changeSince<Value>(
  { now, before, wanted }: { now: Known<Value>; before: Known<Value>; wanted: Known<Value> },
  isEqual: (one: Value, other: Value) => boolean,
): 'done' | 'due' | 'changed' {
  if (now && wanted && isEqual(now.value, wanted.value)) return 'done';
  return !now || !before || isEqual(now.value, before.value) ? 'due' : 'changed';
}

/** Returns what a record's link holds, as a request would set it; undefined where there is no link. */
export function linkValues(
  record: Row | undefined,
  field: string,
  other: string | undefined,
  set: Pick<Operation, 'body'>,
): Row | undefined {
  const link = linkTo(record, field, other);
  return link && bodyFrom(set, pivotOf(link)).body;
}

/** Returns whether a link is as wanted: of one that is to be, only what `wanted` has counts, or with `isWhole` all of it. */
export function isSameLink(
  { body: fields }: { body: readonly BodyField[] },
  is: Row | undefined,
  wanted: Row | undefined,
  { isWhole = false } = {},
): boolean {
  if (!is || !wanted) return is === wanted;
  return fields.every(
    ({ name, field }) =>
      (!isWhole && !Object.hasOwn(wanted, name)) || isSame(field, is[name] ?? null, wanted[name] ?? null),
  );
}

/** Returns what setting a link changes: none where it is so already. */
export function linkChanges(set: Operation, body: Row, record: Row, other: string): Changes {
  const { field = 'link' } = set.link ?? {};
  const link = linkTo(record, field, other);
  const { changes } = differenceOf(set.body, body, pivotOf(link));
  return link ? changes : { ...changes, [field]: [null, other] };
}
