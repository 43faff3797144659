/** Finds the names of related records for an export: the natural key, if an import would find the same record by it. */

import { isRefusedList } from '../../../account/session/list.ts';
import { canContain } from '../../../account/session/record-key.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import { apiOf } from '../../../api/contract/api.ts';
import type { Field } from '../../../api/contract/field.ts';
import type { Filter } from '../../../api/contract/filter.ts';
import { normalizeKey } from '../../../api/contract/normalize-key.ts';
import { operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';

/** The names of the records of one resource. */
export interface RelatedNames {
  /** Adds related records. Call it before `nameOf` for these records. */
  addRecords(records: readonly Row[]): Promise<void>;
  /** Returns the name by which an import finds the record. Returns its id, which an import also accepts, if there is none. */
  nameOf(record: Row): string;
}

/**
 * The maximum number of pages of a list that is read completely to find out which names are unique. For longer lists,
 * only the names in the export are looked up, 100 at a time.
 */
const maxPages = 10;

/**
 * Returns the names of the records that a relation refers to. Returns undefined if an import can't find these records by
 * name, or can't read ids in a column of names; ids are exported in that case.
 */
export async function openNames(
  session: Session,
  resource: Resource,
  field: Field,
): Promise<RelatedNames | undefined> {
  const api = apiOf(resource);
  const target = field.traits.target ?? '';
  const targetResource = api.resource(target);
  if (!targetResource) return api.reference(target)?.isNamed ? namesOfReferences(session, target) : undefined;
  const keys = keysOf(targetResource);
  if (keys.length === 0 || !targetResource.filters.some(({ name }) => name === 'id')) return undefined;
  try {
    return (await namesInList(session, targetResource, keys)) ?? namesByLookup(session, targetResource, keys);
  } catch (error) {
    if (isRefusedList(error)) return undefined;
    throw error;
  }
}

/** Returns the parts of a natural key that can be filtered by and that responses contain. */
function keysOf({ key, filters, list }: Resource): Filter[] {
  if (!list) return [];
  return key.flatMap(
    (name) =>
      filters.find(
        (filter) =>
          filter.name === name &&
          filter.on === name &&
          (filter.match === 'equals' || filter.match === 'contains'),
      ) ?? [],
  );
}

/** Returns the names of all records of a list; undefined if the list is too long. */
async function namesInList(
  session: Session,
  resource: Resource,
  keys: readonly Filter[],
): Promise<RelatedNames | undefined> {
  const list = operation(resource, 'list');
  if (!list) return undefined;
  const owners = new Map<string, string | null>();
  let count = 0;
  for await (const { rows, lastPage } of session.list({ operation: list, query: {} }).pages()) {
    if (++count > maxPages || (lastPage ?? 0) > maxPages) return undefined;
    for (const row of rows) {
      const id = String(row.id);
      for (const { name, value } of keys) {
        const text = row[name];
        if (typeof text !== 'string') continue;
        const normalized = normalizeKey(value, text);
        const owner = owners.get(normalized);
        owners.set(normalized, owner === undefined || owner === id ? id : null);
      }
    }
  }
  return {
    addRecords: async () => undefined,
    nameOf: (record) =>
      keys
        .flatMap((key) =>
          namesIn(resource, [key], record).map((text) => ({
            text,
            normalized: normalizeKey(key.value, text),
          })),
        )
        .find(({ normalized }) => owners.get(normalized) === record.id)?.text ?? String(record.id),
  };
}

/** Looks up names in a long list, 100 in one request, by the fields that have an exact filter, like an import. */
function namesByLookup(
  session: Session,
  resource: Resource,
  keys: readonly Filter[],
): RelatedNames | undefined {
  const exactKeys = keys.filter(({ match }) => match === 'equals');
  if (exactKeys.length === 0) return undefined;
  const owners = new Map<string, string | null>();
  const nameIn = (record: Row) => namesIn(resource, exactKeys, record)[0];
  return {
    async addRecords(records) {
      const names = new Set(records.flatMap((record) => nameIn(record) ?? []));
      const newNames = [...names].filter((name) => !owners.has(name));
      if (newNames.length === 0) return;
      const lookups = newNames.map((name) => `@${name}`);
      const results = await session.names.find(resource.name, lookups, { orId: true });
      for (const name of newNames) {
        const owner = results.get(`@${name}`);
        owners.set(name, typeof owner === 'string' ? owner : null);
      }
    },
    nameOf(record) {
      const name = nameIn(record);
      return name !== undefined && owners.get(name) === record.id ? name : String(record.id);
    },
  };
}

/** Returns the names of records that can't be listed. They are collected from the responses that contain these records. */
async function namesOfReferences(session: Session, target: string): Promise<RelatedNames> {
  const owners = new Map<string, Set<string>>();
  const addRecord = ({ id, name }: Row) => {
    if (typeof name !== 'string' || typeof id !== 'string') return;
    const normalized = normalizeKey(undefined, name);
    owners.set(normalized, (owners.get(normalized) ?? new Set()).add(id));
  };
  for (const { id, name } of await session.names.references(target)) addRecord({ id, name });
  return {
    addRecords: async (records) => {
      for (const record of records) addRecord(record);
    },
    nameOf: ({ id, name }) =>
      typeof name === 'string' &&
      isUnambiguousText(name, []) &&
      owners.get(normalizeKey(undefined, name))?.size === 1
        ? name
        : String(id),
  };
}

function namesIn({ filters }: Resource, keys: readonly Filter[], record: Row): string[] {
  return keys.flatMap((key) => {
    const text = record[key.name];
    return typeof text === 'string' && isUnambiguousText(text, filters) && canContain(key.value, text)
      ? [text]
      : [];
  });
}

/** Returns whether a cell can contain the name unchanged, so that it isn't read as a lookup, a list or an amount. */
function isUnambiguousText(text: string, filters: readonly Filter[]): boolean {
  if (text === '' || text.trim() !== text || /^[@[{]|[=\p{Cc}]|^\\N$/u.test(text)) return false;
  const prefix = /^([^:]+):/.exec(text)?.[1];
  return prefix === undefined || !filters.some(({ name }) => name === prefix);
}
