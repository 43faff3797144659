/** Turns the values of a row into a record as answers have it: the reverse of `bodyFrom`. */
import type { Field, Fields } from '../../contract/field.ts';
import { type BodyField, operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { isRow, type Row } from '../../session/row.ts';

/** Returns the related record for the text of a cell: an id, or a name with an @. `shown` is the field of the record. */
export type Relate = (target: string, text: string, shown: string) => Row;

/** Returns the fields that a body gives a value, by the names of answers. */
export function recordFrom(resource: Resource, body: Row, relate: Relate): Row {
  const record: Row = {};
  for (const { name, responseName, field } of writtenFields(resource))
    if (Object.hasOwn(body, name))
      record[responseName] = shownValue(field, body[name], (target, text) =>
        relate(target, text, responseName),
      );
  return record;
}

function writtenFields(resource: Resource): BodyField[] {
  const both = ['create', 'update'].flatMap((verb) => operation(resource, verb)?.body ?? []);
  return [...new Map(both.map((entry) => [entry.name, entry])).values()];
}

type RelateHere = (target: string, text: string) => Row;

function shownValue(field: Field, value: unknown, relate: RelateHere): unknown {
  const { target, fields } = field.traits;
  if (field.kind === 'objects' && Array.isArray(value))
    return value.map((part) => (isRow(part) ? shownPart(fields ?? {}, part, relate) : part));
  if (target === undefined || field.kind === 'ids') return value;
  if (Array.isArray(value)) return value.map((link) => shownLink(target, link, relate));
  return value === null ? null : relate(target, idIn(value));
}

/** `{id, quantity}` of a request is `{id, pivot: {quantity}}` in an answer. */
function shownLink(target: string, link: unknown, relate: RelateHere): Row {
  if (!isRow(link)) return relate(target, String(link));
  const { id, pivot, ...own } = link;
  const related = relate(target, String(id));
  const values = { ...own, ...(isRow(pivot) ? pivot : {}) };
  return Object.keys(values).length > 0 ? { ...related, pivot: values } : related;
}

function shownPart(fields: Fields, part: Row, relate: RelateHere): Row {
  const shown: Row = part.id === undefined ? {} : { id: part.id };
  for (const [name, field] of Object.entries(fields)) {
    const sent = field.kind === 'one' ? `${name}_id` : name;
    const given = Object.hasOwn(part, name) ? name : sent;
    if (name !== 'id' && Object.hasOwn(part, given)) shown[name] = shownValue(field, part[given], relate);
  }
  return shown;
}

function idIn(value: unknown): string {
  return String(isRow(value) ? value.id : value);
}
