/** What a plan knows of a record that it changes, kept with the step: the history needs it, and nobody reads it again. */
import type { Resource } from '../contract/resource.ts';
import { linkTo } from '../session/record-body.ts';
import type { Row } from '../session/row.ts';

/** Without secrets. With `names`, those fields alone and what tells the record from others. */
export function knownOf(resource: Resource, record: Row, names?: readonly string[]): Row {
  const telling = ['id', ...(resource.title === undefined ? [] : [resource.title])];
  const wanted = names && new Set([...telling, ...names]);
  return Object.fromEntries(
    Object.entries(record).filter(
      ([name]) => (wanted?.has(name) ?? true) && !resource.fields[name]?.traits.secret,
    ),
  );
}

/** Of a record that shows its links, the one to another record; no link where there is none. */
export function knownLink(record: Row, field: string, other: string): Row {
  const link = linkTo(record, field, other);
  return { id: record.id, [field]: link ? [link] : [] };
}
