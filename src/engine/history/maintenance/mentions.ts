/** Decides whether an entry mentions a record: it is about the record, or its content refers to it. */

import { isRow, type Row } from '../../../account/session/row.ts';
import type { Api } from '../../../api/contract/api.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import type { Entry } from '../journal/entry.ts';

/** A record to be forgotten. */
export interface Person {
  resource: Resource;
  id: string;
  /**
   * Names of the record by field, from the journal or a ledger. They are needed to find rejected creations, which have
   * no ID.
   */
  names: ReadonlyMap<string, ReadonlySet<string>>;
}

export function isAbout(entry: Entry, person: Person, api: Api): boolean {
  const { resource, id } = person;
  if (entry.resource === resource.name && entry.id === id) return true;
  const ids = entry.sent?.ids ?? [];
  const contents = [entry.sent?.before, entry.answered?.after, entry.sent?.request.body];
  const entryResource = entry.resource === null ? undefined : api.resource(entry.resource);
  // For a request that isn't in the contract, any mention of the ID counts.
  if (!entryResource) return JSON.stringify([entry.sent, entry.answered]).includes(id);
  if (ids.slice(1).includes(id)) return true;
  if (contents.some((value) => isRow(value) && refersTo(entryResource, value, person))) return true;
  return (
    entryResource === resource &&
    entry.id === null &&
    contents.some((value) => isRow(value) && hasNameOf(value, person))
  );
}

/** Returns whether the content of a record or a request refers to the person. */
export function refersTo(
  { fields }: Resource,
  value: Row,
  { resource, id }: Pick<Person, 'resource' | 'id'>,
): boolean {
  return Object.entries(fields).some(([fieldName, { traits }]) => {
    if (traits.target !== resource.name) return false;
    const values = [value[fieldName], value[`${fieldName}_id`]].flat();
    return values.some((item) => (isRow(item) ? item.id : item) === id);
  });
}

export function hasNameOf(value: Row, { names }: Pick<Person, 'names'>): boolean {
  return [...names].some(([field, strings]) => typeof value[field] === 'string' && strings.has(value[field]));
}

/** Returns the values that identify a record: its natural key, and fields that users search by. */
export function namesIn({ key, fields }: Resource, value: Row): [field: string, text: string][] {
  return Object.entries(value).flatMap(([name, text]): [string, string][] => {
    const { matchesParts, form } = fields[name]?.traits ?? {};
    const isIdentifying = key.includes(name) || matchesParts || (form !== undefined && form !== 'code');
    return isIdentifying && typeof text === 'string' && text.trim().length > 2 ? [[name, text]] : [];
  });
}
