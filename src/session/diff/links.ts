/** Links that have an address of their own, compared: what one holds, and what setting it would change. */
import type { BodyField, Operation } from '../../contract/operation.ts';
import { linkTo, pivotOf } from '../link.ts';
import { bodyFrom } from '../record-body.ts';
import type { Row } from '../row.ts';
import { type Changes, differenceOf } from './fields.ts';
import { isSame } from './values.ts';

/** Returns what a record's link holds, as a request would set it; undefined where there is no link. */
export function heldBy(
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
  const held = linkTo(record, field, other);
  const { changes } = differenceOf(set.body, body, pivotOf(held));
  return held ? changes : { ...changes, [field]: [null, other] };
}
