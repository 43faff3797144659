/** Converts a record to a declaration as in manifests: its key and its values. */

import { bodyFrom } from '../../../account/session/record-body.ts';
import { isRow, type Row } from '../../../account/session/row.ts';
import { type Api, apiOf } from '../../../api/contract/api.ts';
import { isStoredByTarget } from '../../../api/contract/dependency-order.ts';
import type { Field } from '../../../api/contract/field.ts';
import { plainBodyField } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { compareStrings } from '../../../base/compare-strings.ts';
import { normalizeKeyValue } from '../declared/declared.ts';
import { type ManifestField, manifestFields } from '../declared/fields.ts';
import { keyTextIn, normalizedKeyIn } from '../plan/lookups.ts';
import { toDisplayValue } from '../plan/names.ts';

type TargetFilter = Field['traits']['targetFilter'];

/** A reference to a record: its name, or the values of several fields. */
export type RecordReference = string | Readonly<Record<string, unknown>>;

const identifyingKinds: readonly Field['kind'][] = [
  'text',
  'choice',
  'date',
  'integer',
  'one',
  'hour',
  'unit',
];

/** Finds the fields that identify each record of a resource. */
export class Keys {
  readonly #resource: Resource;
  readonly #rows: readonly Row[];
  readonly #byId: ReadonlyMap<unknown, Row>;
  readonly #counts = new Map<string, Map<string, number>>();

  constructor(resource: Resource, rows: readonly Row[]) {
    this.#resource = resource;
    this.#rows = rows;
    this.#byId = new Map(rows.map((row) => [row.id, row]));
  }

  /** Returns the fields that identify a record; a single natural key is preferred. Undefined if the record isn't unique. */
  keyOf(row: Row): { names: readonly string[]; isNatural: boolean } | undefined {
    const natural = this.#resource.key.find(
      (name) => manifestFields(this.#resource).has(name) && keyTextIn(row, name, this.#resource) !== null,
    );
    if (natural !== undefined && this.#isUnique(row, [natural])) return { names: [natural], isNatural: true };
    const names: string[] = [];
    for (const name of this.#candidates()) {
      if (keyTextIn(row, name, this.#resource) === null) continue;
      names.push(name);
      if (this.#isUnique(row, names)) return { names, isNatural: false };
    }
    return undefined;
  }

  /** Returns an unambiguous reference to a record; its ID if no other fields identify it. */
  referenceTo(id: string, targetFilter: TargetFilter): RecordReference {
    const row = this.#byId.get(id);
    if (!row) return { id };
    const text = this.#uniqueKeyText(row, targetFilter);
    if (text !== undefined) return text;
    const names = this.keyOf(row)?.names ?? [];
    const isPlain = names.length > 0 && names.every((name) => this.#resource.fields[name]?.kind !== 'one');
    return isPlain ? Object.fromEntries(names.map((name) => [name, row[name]])) : { id };
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  #normalizedKey(row: Row, name: string): string {
    return normalizedKeyIn(row, name, this.#resource) ?? '';
  }

  /**
   * Returns the natural key that identifies the record: a string refers to the first natural key in which any record
   * has it.
   */
  #uniqueKeyText(row: Row, targetFilter: TargetFilter): string | undefined {
    for (const name of this.#resource.key) {
      const text = keyTextIn(row, name, this.#resource);
      if (text === null) continue;
      const count = (keyName: string) =>
        this.#countMatches([keyName], [normalizeKeyValue(this.#resource, keyName, text)], targetFilter);
      const first = this.#resource.key.find((keyName) => count(keyName) > 0);
      if (first === name && count(name) === 1) return text;
    }
    return undefined;
  }

  #isUnique(row: Row, names: readonly string[]): boolean {
    return (
      this.#countMatches(
        names,
        names.map((name) => this.#normalizedKey(row, name)),
        undefined,
      ) === 1
    );
  }

  #countMatches(names: readonly string[], values: readonly string[], targetFilter: TargetFilter): number {
    const signature = JSON.stringify([names, targetFilter?.value ?? null]);
    const cachedCounts = this.#counts.get(signature);
    const counts = cachedCounts ?? new Map<string, number>();
    if (!cachedCounts) {
      this.#counts.set(signature, counts);
      for (const row of this.#rows) {
        if (targetFilter && Number(row[targetFilter.field]) !== targetFilter.value) continue;
        const keyValues = names.map((name) => normalizedKeyIn(row, name, this.#resource));
        if (keyValues.includes(null)) continue;
        const key = JSON.stringify(keyValues);
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    return counts.get(JSON.stringify(values)) ?? 0;
  }

  /**
   * Returns the fields that may identify a record: natural keys first, then relations and choices, then all others.
   */
  #candidates(): string[] {
    const { key, title } = this.#resource;
    const fields = [...manifestFields(this.#resource).values()].filter(
      ({ field: { kind, isHidden } }) => identifyingKinds.includes(kind) && !isHidden,
    );
    const namesOfKinds = (...kinds: Field['kind'][]) =>
      fields.filter(({ field }) => kinds.includes(field.kind)).map(({ name }) => name);
    const keyNames = [title ?? '', ...key].filter((name) => fields.some((field) => field.name === name));
    return [
      ...new Set([
        ...keyNames,
        ...namesOfKinds('one'),
        ...namesOfKinds('choice'),
        ...fields.map(({ name }) => name),
      ]),
    ];
  }
}

/** The options and keys for converting records. */
export interface PullContext {
  api: Api;
  /** The keys of every resource that records refer to. */
  keys: ReadonlyMap<string, Keys>;
  /** Returns the name of a record that the API can't list; undefined if only its ID identifies it. */
  referenceName(target: string, id: string): string | undefined;
  /** Whether the file declares exact lists and empty fields. */
  isExact: boolean;
}

/**
 * Returns the fields that a pull writes: a link that responses contain at both ends is written at one end, and secrets are never
 * written.
 */
export function pulledFields(resource: Resource): ManifestField[] {
  const api = apiOf(resource);
  return [...manifestFields(resource).values()].filter(
    ({ field }) => !field.isHidden && !isStoredByTarget(api, field),
  );
}

/** Returns a record as a manifest declares it. `names` are the fields of its key. */
export function toDeclaredRow(
  resource: Resource,
  row: Row,
  names: readonly string[] | undefined,
  context: PullContext,
): Row {
  const key = names === undefined ? {} : { $key: [...names] };
  const values = pulledFields(resource).flatMap((field) => {
    const value = valueFor(field, resource, row, context);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  return { ...key, ...(context.isExact && { $exact: true }), ...Object.fromEntries(values) };
}

function valueFor(field: ManifestField, resource: Resource, row: Row, context: PullContext): unknown {
  const entry = field.update ?? field.create ?? plainBodyField(field.name, field.field);
  const { body } = bodyFrom({ body: [entry] }, row);
  const value = body[entry.name];
  if (value === undefined || value === '') return undefined;
  const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
  if (isEmpty) return context.isExact ? value : undefined;
  const display = {
    resource,
    labelOf: (target: string, id: unknown, targetFilter?: Field['traits']['targetFilter']) =>
      labelOf(target, String(id), targetFilter, context),
  };
  return sortValue(field.field, toDisplayValue(field.field, value, field.name, display), context.isExact);
}

function labelOf(
  target: string,
  id: string,
  targetFilter: Field['traits']['targetFilter'],
  context: PullContext,
): unknown {
  if (target === '') return referenceToAny(id, context);
  const keys = context.keys.get(target);
  if (keys) return keys.referenceTo(id, targetFilter);
  return context.referenceName(target, id) ?? id;
}

/** Returns the reference to a record of several possible kinds, with the kind if it can be listed. */
function referenceToAny(id: string, { api, keys }: PullContext): unknown {
  for (const [name, resourceKeys] of keys) {
    if (!resourceKeys.has(id)) continue;
    const reference: RecordReference = resourceKeys.referenceTo(id, undefined);
    return { [api.resource(name)?.one ?? name]: reference };
  }
  return id;
}

/** Sorts lists that have no order of their own, and removes empty values unless they are declared. */
function sortValue(field: Field, value: unknown, isExact: boolean): unknown {
  if (!Array.isArray(value)) return value;
  const { allowed } = field.traits;
  if (field.kind === 'words' && allowed) {
    // An unknown word is kept: apply reports it.
    const unknownWords = value.filter((word) => !allowed.includes(word)).sort();
    return [...allowed.filter((word) => value.includes(word)), ...unknownWords];
  }
  if (field.kind === 'integers') return [...value].sort((a, b) => compareStrings(String(a), String(b)));
  if (field.kind === 'objects') return value.map((part) => sortPart(field, part, isExact));
  if (field.kind !== 'many') return value;
  const links = isExact ? value : value.map((link) => (isRow(link) ? omitEmptyValues(link) : link));
  return links.sort((a, b) => compareStrings(JSON.stringify(a), JSON.stringify(b)));
}

function sortPart({ traits: { fields = {} } }: Field, part: unknown, isExact: boolean): unknown {
  if (!isRow(part)) return part;
  const entries = Object.entries(isExact ? part : omitEmptyValues(part)).map(([name, value]) => {
    const field = fields[name];
    return [name, field ? sortValue(field, value, isExact) : value];
  });
  return Object.fromEntries(entries);
}

function omitEmptyValues(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).filter(
      ([, value]) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  );
}
