/**
 * Creates snapshots: the part of a record that a plan stores with each step that changes the record, so that the history
 * needs no extra request.
 */
import type { Resource } from '../contract/resource.ts';
import { linkTo } from '../session/record-body.ts';
import type { Row } from '../session/row.ts';

/** Returns the record without secrets. With `names`, returns only these fields, the ID and the title. */
export function recordSnapshot(resource: Resource, record: Row, names?: readonly string[]): Row {
  const identifyingNames = ['id', ...(resource.title === undefined ? [] : [resource.title])];
  const selectedNames = names && new Set([...identifyingNames, ...names]);
  return Object.fromEntries(
    Object.entries(record).filter(
      ([name]) => (selectedNames?.has(name) ?? true) && !resource.fields[name]?.traits.secret,
    ),
  );
}

/** Returns the record with its link to one other record, or with an empty list if there is no such link. */
export function linkSnapshot(record: Row, field: string, linkedId: string): Row {
  const link = linkTo(record, field, linkedId);
  return { id: record.id, [field]: link ? [link] : [] };
}
