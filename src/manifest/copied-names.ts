/**
 * Adapts a declaration to a copy of the account: the records of the copy have other IDs, and some could not be
 * created.
 */
import type { Api } from '../contract/api.ts';
import type { Field } from '../contract/field.ts';
import { nestedFields } from '../contract/operation.ts';
import { isRow } from '../session/row.ts';
import {
  type Declaration,
  type Declared,
  formatRecordKey,
  mapRefs,
  normalizeKeyValue,
} from './declared/declared.ts';
import { type RecordIdentifier, Ref } from './declared/ref.ts';
import { normalizedKeyIn } from './plan/lookups.ts';
import type { PullResult } from './pull/pull.ts';
import type { Keys, RecordReference } from './pull/pulled-record.ts';

/** A declaration for the copy, and its limits. */
export interface CopiedDeclaration {
  declaration: Declaration;
  /** One message for each part of the declaration that can't be rehearsed. */
  limits: string[];
}

/** Returns the declaration with names instead of IDs, without the records that can't be created in the copy. */
export function declarationForCopy(
  { records, ...otherProperties }: Declaration,
  pulled: PullResult,
  api: Api,
): CopiedDeclaration {
  const limits = new Set<string>();
  const notCreatedByResource = new Map(
    pulled.resources.map((pulledResource) => [pulledResource.resource, pulledResource.notCreatable]),
  );
  const names = new CopiedNames(pulled.keys, api, limits);
  const copiedRecords = records.filter((record) => {
    const { resource, key } = record;
    const isNotCreated = notCreatedByResource
      .get(resource)
      ?.some((row) =>
        key.every(
          ({ name, value }) =>
            normalizedKeyIn(row, name, resource) === normalizeKeyValue(resource, name, value),
        ),
      );
    if (isNotCreated)
      limits.add(
        `Not in the copy, because the API can't create it: the ${resource.noun} ${formatRecordKey(record)}`,
      );
    return !isNotCreated;
  });
  const declaration = {
    records: copiedRecords.map((record) => names.replaceIds(record)),
    ...otherProperties,
  };
  return { declaration, limits: [...limits] };
}

/** Replaces the IDs in records with names. */
class CopiedNames {
  readonly #keys: ReadonlyMap<string, Keys>;
  readonly #api: Api;
  readonly #limits: Set<string>;

  constructor(keys: ReadonlyMap<string, Keys>, api: Api, limits: Set<string>) {
    this.#keys = keys;
    this.#api = api;
    this.#limits = limits;
  }

  replaceIds(record: Declared): Declared {
    const converted = mapRefs(record, (ref) => this.#replaceId(ref));
    const values = [...converted.values].map(
      ([name, declared]) =>
        [
          name,
          {
            ...declared,
            value: this.#replaceIdsInList(declared.field.field, declared.value, declared.location),
          },
        ] as const,
    );
    return { ...converted, values: new Map(values) };
  }

  /** Removes the IDs of the parts of a record: they differ in the copy, where a part is identified by its name. */
  #replaceIdsInList(field: Field, value: unknown, location: Ref['location']): unknown {
    if (!Array.isArray(value)) return value;
    if (field.kind === 'ids')
      return value.map((id) => (typeof id === 'string' ? this.#refToAny(id, location) : id));
    if (field.kind !== 'objects') return value;
    return value.map((part) => {
      if (!isRow(part)) return part;
      const { id: _, ...fieldsWithoutId } = part;
      const lists = nestedFields(field).filter(({ name }) => Array.isArray(fieldsWithoutId[name]));
      const listValues = lists.map((entry) => [
        entry.name,
        this.#replaceIdsInList(entry.field, fieldsWithoutId[entry.name], location),
      ]);
      return { ...fieldsWithoutId, ...Object.fromEntries(listValues) };
    });
  }

  #replaceId(ref: Ref): Ref {
    const id = idOf(ref.by);
    const keys = this.#keys.get(ref.target);
    if (id === undefined || !keys?.has(id)) return ref;
    // A record whose name equals the ID has priority.
    if (ref.by.kind === 'text' && keys.hasKey(id, ref.targetFilter)) return ref;
    const by = toIdentifier(keys.referenceTo(id, ref.targetFilter)) ?? { kind: 'id', id };
    const noun = this.#api.nounOf(ref.target);
    if (by.kind === 'id')
      this.#limits.add(`Only its ID identifies the ${noun} ${id}, and the copy has another ID.`);
    return new Ref(ref.target, by, ref.location, ref.targetFilter);
  }

  /** Replaces the ID of a record of any kind. */
  #refToAny(id: string, location: Ref['location']): Ref | string {
    for (const [target, keys] of this.#keys)
      if (keys.has(id)) return this.#replaceId(new Ref(target, { kind: 'id', id }, location));
    return id;
  }
}

/** Returns the ID that a reference contains or may contain. */
function idOf(by: RecordIdentifier): string | undefined {
  if (by.kind === 'id') return by.id;
  if (by.kind === 'text') return by.orId ? by.text : undefined;
  return typeof by.fields.id === 'string' ? by.fields.id : undefined;
}

function toIdentifier(name: RecordReference): RecordIdentifier | undefined {
  if (typeof name === 'string') return { kind: 'text', text: name };
  return Object.hasOwn(name, 'id') ? undefined : { kind: 'fields', fields: name };
}
