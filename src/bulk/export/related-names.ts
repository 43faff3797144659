/** Finds the names of related records for an export: the natural key, if an import finds the same record by it. */
import { Failure } from '../../base/errors.ts';
import { apiOf } from '../../contract/api.ts';
import type { Field } from '../../contract/field.ts';
import type { Filter } from '../../contract/filter.ts';
import { keyForm } from '../../contract/key-form.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { canContain } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';

/** The names of the records of one resource. */
export interface RelatedNames {
  /** Adds related records. Call it before their names are requested. */
  meet(records: readonly Row[]): Promise<void>;
  /** Returns the name by which an import finds the record, or else its id, which the import accepts too. */
  nameOf(record: Row): string;
}

/**
 * Lists up to this length are read whole, in pages, to know which names are unique. In longer lists only the records
 * that occur are looked up, a hundred at a time.
 */
const maxPages = 10;

/**
 * Returns the names of a resource; undefined if an import would find no record by name, or none by id in a column of
 * names. Then ids are exported.
 */
export async function openNames(
  session: Session,
  resource: Resource,
  field: Field,
): Promise<RelatedNames | undefined> {
  const api = apiOf(resource);
  const target = field.traits.target ?? '';
  const other = api.resource(target);
  if (!other) return api.reference(target)?.isNamed ? namesOfReferences(session, target) : undefined;
  const keys = keysOf(other);
  if (keys.length === 0 || !other.filters.some(({ name }) => name === 'id')) return undefined;
  try {
    return (await namesInList(session, other, keys)) ?? namesFound(session, other, keys);
  } catch (error) {
    if (error instanceof Failure && error.category === 'not_allowed') return undefined;
    throw error;
  }
}

/** Returns the parts of a natural key that a look-up can compare with answers. */
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

/** Returns the names of a whole list; undefined if the list is too long. */
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
        const form = keyForm(value, text);
        const known = owners.get(form);
        owners.set(form, known === undefined || known === id ? id : null);
      }
    }
  }
  return {
    meet: async () => undefined,
    nameOf: (record) =>
      keys
        .flatMap((key) =>
          textsOf(resource, [key], record).map((text) => ({ text, form: keyForm(key.value, text) })),
        )
        .find(({ form }) => owners.get(form) === record.id)?.text ?? String(record.id),
  };
}

/**
 * Looks up the names of a long list, a hundred in one request, by the fields that can be filtered by their whole
 * value, as an import would.
 */
function namesFound(session: Session, resource: Resource, keys: readonly Filter[]): RelatedNames | undefined {
  const exact = keys.filter(({ match }) => match === 'equals');
  if (exact.length === 0) return undefined;
  const owners = new Map<string, string | null>();
  const firstText = (record: Row) => textsOf(resource, exact, record)[0];
  return {
    async meet(records) {
      const texts = new Set(records.flatMap((record) => firstText(record) ?? []));
      const fresh = [...texts].filter((text) => !owners.has(text));
      if (fresh.length === 0) return;
      const lookups = fresh.map((text) => `@${text}`);
      const found = await session.find(resource.name, lookups, { orId: true });
      for (const text of fresh) {
        const owner = found.get(`@${text}`);
        owners.set(text, typeof owner === 'string' ? owner : null);
      }
    },
    nameOf(record) {
      const text = firstText(record);
      return text !== undefined && owners.get(text) === record.id ? text : String(record.id);
    },
  };
}

/** Returns the names of records that have no list, from what answers show of them. */
async function namesOfReferences(session: Session, target: string): Promise<RelatedNames> {
  const owners = new Map<string, Set<string>>();
  const note = ({ id, name }: Row) => {
    if (typeof name !== 'string' || typeof id !== 'string') return;
    const form = keyForm(undefined, name);
    owners.set(form, (owners.get(form) ?? new Set()).add(id));
  };
  for (const { id, name } of await session.references(target)) note({ id, name });
  return {
    meet: async (records) => {
      for (const record of records) note(record);
    },
    nameOf: ({ id, name }) =>
      typeof name === 'string' && isPlain(name, []) && owners.get(keyForm(undefined, name))?.size === 1
        ? name
        : String(id),
  };
}

function textsOf({ filters }: Resource, keys: readonly Filter[], record: Row): string[] {
  return keys.flatMap((key) => {
    const text = record[key.name];
    return typeof text === 'string' && isPlain(text, filters) && canContain(key.value, text) ? [text] : [];
  });
}

/** Returns whether a cell can contain the name unchanged, so that it isn't read as a look-up, a list or an amount. */
function isPlain(text: string, filters: readonly Filter[]): boolean {
  if (text === '' || text.trim() !== text || /^[@[{]|[=\p{Cc}]|^\\N$/u.test(text)) return false;
  const before = /^([^:]+):/.exec(text)?.[1];
  return before === undefined || !filters.some(({ name }) => name === before);
}
