/** Knows the values of enumerations that an account has and that the API document doesn't list. They are never mistakes. */

import type { Api } from '../../api/contract/api.ts';
import {
  describeUnknownValue,
  enumerationsIn,
  type OtherValue,
  otherValues,
} from '../../api/contract/known-values.ts';
import type { Operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { isRow, type Row } from '../client/shape.ts';
import type { ServiceFactsCache } from './service-behavior.ts';

/** Limits of the stored values, because a service can return anything. */
const maxValuesPerField = 1_000;
const maxValueCharacters = 200;

/** A value of a write or filter that neither the API document nor the account has. */
export interface UnknownValue extends Pick<OtherValue, 'path' | 'value'> {
  resource: Resource;
  /** "8 is neither in the API document nor in this account; the nearest known value is product (7)". */
  description: string;
  /** The rows that have it, for messages: "line 4". */
  location?: string | undefined;
}

/** The values that an account's responses have contained, now or within a month. */
export class KnownValues {
  readonly #api: Api;
  readonly #facts: ServiceFactsCache;
  /** The values by resource and path. */
  readonly #values = new Map<string, Set<string | number>>();
  #hasNewValues = false;

  constructor(api: Api, facts: ServiceFactsCache) {
    this.#api = api;
    this.#facts = facts;
    for (const [name, { values = {} }] of Object.entries(facts.get().resources))
      for (const [path, known] of Object.entries(values)) this.#values.set(`${name} ${path}`, new Set(known));
  }

  /** Collects the values of these records and of their included records. */
  collect(resource: Resource, records: readonly Row[]): void {
    for (const record of records) {
      for (const { path, value } of otherValues(fieldsOf(resource), record))
        this.#add(resource.name, path, value);
      for (const [name, target] of includedTargets(this.#api, resource)) {
        const related = record[name];
        const items = (Array.isArray(related) ? related : [related]).filter(isRow);
        if (items.length > 0) this.collect(target, items);
      }
    }
  }

  #add(resource: string, path: string, value: string | number): void {
    const key = `${resource} ${path}`;
    const known = this.#values.get(key) ?? new Set();
    if (known.has(value) || known.size >= maxValuesPerField || String(value).length > maxValueCharacters)
      return;
    this.#values.set(key, known.add(value));
    this.#hasNewValues = true;
  }

  /** Stores the values for other commands. */
  store(): void {
    if (!this.#hasNewValues) return;
    this.#hasNewValues = false;
    const facts = this.#facts.get();
    const resources = { ...facts.resources };
    for (const [key, known] of this.#values) {
      const [name = '', path = ''] = key.split(' ');
      resources[name] = {
        ...resources[name],
        values: { ...resources[name]?.values, [path]: [...known].sort() },
      };
    }
    this.#facts.put({ ...facts, resources });
  }

  /** Returns the values of a body that neither the API document nor the account has. */
  unknownIn({ resource, body: fields }: Operation, body: Row): UnknownValue[] {
    const named = enumerationsIn(fields, () => fields.map(({ name, field }) => [name, field] as const));
    return this.#unknown(resource, otherValues(named, body));
  }

  /** Returns the values of filters that neither the API document nor the account has. */
  unknownInFilters(resource: Resource, filters: Readonly<Record<string, string>>): UnknownValue[] {
    return resource.filters.flatMap(({ name, on = name, value: field }) => {
      const isEnumeration = field.traits.words !== undefined && !field.traits.allowsOtherNumbers;
      const values = { [on]: filters[name]?.split(',') };
      return isEnumeration ? this.#unknown(resource, otherValues([[on, field]], values)) : [];
    });
  }

  #unknown(resource: Resource, values: Iterable<OtherValue>): UnknownValue[] {
    return [...values].flatMap((other) => {
      const known = this.#values.get(`${resource.name} ${other.path}`) ?? new Set();
      const { path, value } = other;
      return known.has(value)
        ? []
        : [{ resource, path, value, description: describeUnknownValue(other, known) }];
    });
  }
}

function fieldsOf({ fields }: Resource) {
  return enumerationsIn(fields, () => Object.entries(fields));
}

const targets = new WeakMap<Resource, [name: string, target: Resource][]>();

/** Returns the relations of a resource whose records can have values of enumerations. */
function includedTargets(api: Api, resource: Resource): [name: string, target: Resource][] {
  const cached = targets.get(resource);
  if (cached) return cached;
  const found = Object.entries(resource.fields).flatMap(([name, { traits }]): [string, Resource][] => {
    const target = traits.target === undefined ? undefined : api.resource(traits.target);
    return target && target !== resource ? [[name, target]] : [];
  });
  targets.set(resource, found);
  return found;
}
