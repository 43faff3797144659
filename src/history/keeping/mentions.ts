/** Whether an entry says anything of a record: it is about it, or what it holds leads to it. */
import type { Api } from '../../contract/api.ts';
import type { Resource } from '../../contract/resource.ts';
import { isRow, type Row } from '../../session/row.ts';
import type { Entry } from '../journal/entry.ts';

export interface Person {
  resource: Resource;
  id: string;
  /** By field: what it was called, as far as the journal or a ledger knows; for what was refused, and so has no id. */
  called: ReadonlyMap<string, ReadonlySet<string>>;
}

export function isAbout(entry: Entry, person: Person, api: Api): boolean {
  const { resource, id } = person;
  if (entry.resource === resource.name && entry.id === id) return true;
  const ids = entry.sent?.ids ?? [];
  const held = [entry.sent?.before, entry.answered?.after, entry.sent?.request.body];
  const own = entry.resource === null ? undefined : api.resource(entry.resource);
  // Of a request that the contract doesn't know, any mention counts.
  if (!own) return JSON.stringify([entry.sent, entry.answered]).includes(id);
  if (ids.slice(1).includes(id)) return true;
  if (held.some((value) => isRow(value) && leadsTo(own, value, person))) return true;
  return (
    own === resource && entry.id === null && held.some((value) => isRow(value) && isCalledSo(value, person))
  );
}

/** Whether what a record or a body holds names the person. */
export function leadsTo(
  { fields }: Resource,
  value: Row,
  { resource, id }: Pick<Person, 'resource' | 'id'>,
): boolean {
  return Object.entries(fields).some(([shown, { traits }]) => {
    if (traits.target !== resource.name) return false;
    const held = [value[shown], value[`${shown}_id`]].flat();
    return held.some((one) => (isRow(one) ? one.id : one) === id);
  });
}

export function isCalledSo(value: Row, { called }: Pick<Person, 'called'>): boolean {
  return [...called].some(([field, texts]) => typeof value[field] === 'string' && texts.has(value[field]));
}

/** What tells one from others: its natural key, and what people search by. */
export function namesIn({ key, fields }: Resource, value: Row): [field: string, text: string][] {
  return Object.entries(value).flatMap(([name, text]): [string, string][] => {
    const isTelling =
      key.includes(name) || fields[name]?.traits.searched || fields[name]?.traits.form !== undefined;
    return isTelling && typeof text === 'string' && text.trim().length > 2 ? [[name, text]] : [];
  });
}
