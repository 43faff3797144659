/** Lists the changes of a write field by field: the value before it and the value that it sent. */

import type { FieldChange } from '../../account/session/diff/fields.ts';
import { linkTo, pivotOf } from '../../account/session/record-body.ts';
import { isRow, type Row } from '../../account/session/row.ts';
import { operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import type { Entry } from './journal/entry.ts';

/**
 * The change of one field. The old value is null if the field was empty or if the value is unknown; the entry says
 * which.
 */
export interface NamedChange extends FieldChange {
  /** The field's name in responses. */
  field: string;
}

/**
 * Returns the changed fields, with relations to one record by ID. For a delete, these are all fields of the record; for
 * a link, only the link.
 */
export function fieldChanges(entry: Entry, resource: Resource | undefined): NamedChange[] {
  const { sent, answered, verb, fields } = entry;
  if (!sent) return [];
  const [before, after] = [sent.before, answered?.after ?? null];
  const body = isRow(sent.request.body) ? sent.request.body : {};
  const write = resource && verb !== null ? operation(resource, verb) : undefined;
  if (write?.link) {
    const { field } = write.link;
    const newLink = write.effect === 'link' ? { id: sent.ids[1], ...body } : null;
    return [{ field, old: linkIn(before, field, sent.ids[1]), new: newLink }];
  }
  if (write?.effect === 'delete') {
    const names = Object.keys(before ?? {}).filter(
      (field) => resource && Object.hasOwn(resource.fields, field),
    );
    return names.flatMap((field) => {
      const old = valueIn(before, field);
      return old === null ? [] : [{ field, old, new: null }];
    });
  }
  const requestName = (field: string) =>
    write?.body.find(({ responseName }) => responseName === field)?.name ?? field;
  return fields.map((field) => ({
    field,
    old: valueIn(before, field),
    new: valueIn(after, field) ?? body[requestName(field)] ?? null,
  }));
}

function valueIn(record: Row | null, field: string): unknown {
  const value = record?.[field] ?? record?.[`${field}_id`] ?? null;
  return isRow(value) && typeof value.id === 'string' ? value.id : value;
}

function linkIn(record: Row | null, field: string, linkedId: string | undefined): unknown {
  const link = linkTo(record, field, linkedId);
  return link ? { id: link.id, ...pivotOf(link) } : null;
}
