/** Converts the values of a row to a record as in responses: the inverse of `bodyFrom`. */
import type { Field, Fields } from '../../contract/field.ts';
import { type BodyField, operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { isRow, type Row } from '../../session/row.ts';

/** Returns the related record for the text of a cell: an ID, or a name after @. `responseName` is the name of the field in responses. */
export type FindRelated = (target: string, idOrName: string, responseName: string) => Row;

/** Returns the fields of a body by their names in responses. */
export function recordFrom(resource: Resource, body: Row, findRelated: FindRelated): Row {
  const record: Row = {};
  for (const { name, responseName, field } of writtenFields(resource))
    if (Object.hasOwn(body, name))
      record[responseName] = responseValue(field, body[name], (target, idOrName) =>
        findRelated(target, idOrName, responseName),
      );
  return record;
}

function writtenFields(resource: Resource): BodyField[] {
  const bodyFields = ['create', 'update'].flatMap((verb) => operation(resource, verb)?.body ?? []);
  return [...new Map(bodyFields.map((entry) => [entry.name, entry])).values()];
}

type FindRelatedOfField = (target: string, idOrName: string) => Row;

function responseValue(field: Field, value: unknown, findRelated: FindRelatedOfField): unknown {
  const { target, fields } = field.traits;
  if (field.kind === 'objects' && Array.isArray(value))
    return value.map((part) => (isRow(part) ? responsePart(fields ?? {}, part, findRelated) : part));
  if (target === undefined || field.kind === 'ids') return value;
  if (Array.isArray(value)) return value.map((link) => responseLink(target, link, findRelated));
  return value === null ? null : findRelated(target, idText(value));
}

/** Converts `{id, quantity}` of a request to `{id, pivot: {quantity}}` of a response. */
function responseLink(target: string, link: unknown, findRelated: FindRelatedOfField): Row {
  if (!isRow(link)) return findRelated(target, String(link));
  const { id, pivot, ...linkFields } = link;
  const related = findRelated(target, String(id));
  const values = { ...linkFields, ...(isRow(pivot) ? pivot : {}) };
  return Object.keys(values).length > 0 ? { ...related, pivot: values } : related;
}

function responsePart(fields: Fields, part: Row, findRelated: FindRelatedOfField): Row {
  const result: Row = part.id === undefined ? {} : { id: part.id };
  for (const [name, field] of Object.entries(fields)) {
    const requestName = field.kind === 'one' ? `${name}_id` : name;
    const key = Object.hasOwn(part, name) ? name : requestName;
    if (name !== 'id' && Object.hasOwn(part, key))
      result[name] = responseValue(field, part[key], findRelated);
  }
  return result;
}

function idText(value: unknown): string {
  return String(isRow(value) ? value.id : value);
}
