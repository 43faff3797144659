/** Converts the values of a row to a record as in responses: the inverse of `bodyFrom`. */
import type { Field, Fields } from '../../contract/field.ts';
import { type BodyField, operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { isRow, type Row } from '../../session/row.ts';

/** Returns the related record for the text of a cell: an id, or a name after @. `shown` is the field in responses. */
export type FindRelated = (target: string, text: string, shown: string) => Row;

/** Returns the fields of a body by their names in responses. */
export function recordFrom(resource: Resource, body: Row, relate: FindRelated): Row {
  const record: Row = {};
  for (const { name, responseName, field } of writtenFields(resource))
    if (Object.hasOwn(body, name))
      record[responseName] = responseValue(field, body[name], (target, text) =>
        relate(target, text, responseName),
      );
  return record;
}

function writtenFields(resource: Resource): BodyField[] {
  const both = ['create', 'update'].flatMap((verb) => operation(resource, verb)?.body ?? []);
  return [...new Map(both.map((entry) => [entry.name, entry])).values()];
}

type FindRelatedOfField = (target: string, text: string) => Row;

function responseValue(field: Field, value: unknown, relate: FindRelatedOfField): unknown {
  const { target, fields } = field.traits;
  if (field.kind === 'objects' && Array.isArray(value))
    return value.map((part) => (isRow(part) ? responsePart(fields ?? {}, part, relate) : part));
  if (target === undefined || field.kind === 'ids') return value;
  if (Array.isArray(value)) return value.map((link) => responseLink(target, link, relate));
  return value === null ? null : relate(target, idText(value));
}

/** Converts `{id, quantity}` of a request to `{id, pivot: {quantity}}` of a response. */
function responseLink(target: string, link: unknown, relate: FindRelatedOfField): Row {
  if (!isRow(link)) return relate(target, String(link));
  const { id, pivot, ...own } = link;
  const related = relate(target, String(id));
  const values = { ...own, ...(isRow(pivot) ? pivot : {}) };
  return Object.keys(values).length > 0 ? { ...related, pivot: values } : related;
}

function responsePart(fields: Fields, part: Row, relate: FindRelatedOfField): Row {
  const shown: Row = part.id === undefined ? {} : { id: part.id };
  for (const [name, field] of Object.entries(fields)) {
    const sent = field.kind === 'one' ? `${name}_id` : name;
    const key = Object.hasOwn(part, name) ? name : sent;
    if (name !== 'id' && Object.hasOwn(part, key)) shown[name] = responseValue(field, part[key], relate);
  }
  return shown;
}

function idText(value: unknown): string {
  return String(isRow(value) ? value.id : value);
}
