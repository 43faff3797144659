/**
 * Generates realistic, related records for tests from the contract's examples. The same seed gives the same
 * records.
 */

import type { Row } from '../../../account/session/row.ts';
import type { Api } from '../../../api/contract/api.ts';
import { isStoredByTarget } from '../../../api/contract/dependency-order.ts';
import type { Field } from '../../../api/contract/field.ts';
import { linkFields } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { wordOf } from '../../../api/contract/value-text.ts';
import { usage } from '../../../base/errors.ts';
import { RandomGenerator } from '../../../base/random.ts';
import { type ManifestField, manifestFields } from '../declared/fields.ts';
import words from './words.json' with { type: 'json' };

/** The options for generating records. */
export interface SeedOptions {
  api: Api;
  counts: ReadonlyMap<Resource, number>;
  /** The same seed gives the same records. */
  seed: number;
}

/**
 * Generates a manifest: records by the command-line names of their resources. Throws `usage` if records need related records
 * that aren't generated, too.
 */
export function generate({ api, counts, seed }: SeedOptions): Record<string, Row[]> {
  const generated = new Map<string, Row[]>();
  for (const { resource } of api.dependencyOrder()) {
    const count = counts.get(resource);
    if (count === undefined) continue;
    // Each resource has its own generator, so that the count of one doesn't change the others.
    const random = new RandomGenerator(seed * 7919 + api.collections.indexOf(resource));
    const generator = new Generator(resource, { api, seed, random }, generated);
    const records = Array.from({ length: count }, (_, index) => generator.record(index));
    generated.set(resource.name, records);
  }
  return Object.fromEntries(
    [...generated].map(([name, records]) => [api.resource(name)?.command ?? name, records]),
  );
}

class Generator {
  readonly #resource: Resource;
  readonly #api: Api;
  readonly #generated: ReadonlyMap<string, readonly Row[]>;
  readonly #random: RandomGenerator;
  readonly #seed: number;
  readonly #fields: readonly ManifestField[];
  readonly #isPerson: boolean;

  constructor(
    resource: Resource,
    { api, seed, random }: Pick<SeedOptions, 'api' | 'seed'> & { random: RandomGenerator },
    generated: ReadonlyMap<string, readonly Row[]>,
  ) {
    this.#resource = resource;
    this.#api = api;
    this.#seed = seed;
    this.#generated = generated;
    this.#random = random;
    this.#isPerson = resource.fields[resource.title ?? '']?.traits.form === 'person';
    this.#fields = [...manifestFields(resource).values()].filter(({ field }) => {
      const { secret, writeOnly, writeScope } = field.traits;
      return !secret && !writeOnly && !writeScope && !isStoredByTarget(api, field);
    });
  }

  record(index: number): Row {
    const name = this.#name(index);
    const entries = this.#fields.flatMap((field) => {
      const value = this.#value(field, index, name);
      return value === undefined ? [] : [[field.name, value] as const];
    });
    const record = Object.fromEntries(entries);
    const hasNaturalKey = this.#resource.key.some((key) => record[key] !== undefined);
    // A record without a natural key is identified by its related records and its name.
    const names = this.#fields
      .filter(({ name: fieldName, field }) => field.kind === 'one' || fieldName === this.#resource.title)
      .map((field) => field.name);
    return hasNaturalKey
      ? record
      : { $key: names.filter((fieldName) => record[fieldName] !== undefined), ...record };
  }

  #name(index: number): string {
    if (this.#isPerson) return `${this.#random.pick(words.given)} ${this.#random.pick(words.families)}`;
    return `${this.#random.pick(words.kinds)} ${this.#random.pick(words.things)} ${index + 1}`;
  }

  #value(declared: ManifestField, index: number, name: string): unknown {
    const { field } = declared;
    const { example, required, target = '' } = field.traits;
    switch (field.kind) {
      case 'text':
        return this.#text(declared, index, name);
      case 'integer':
      case 'decimal':
        return typeof example === 'number' ? this.#numberNear(field, example) : undefined;
      case 'boolean':
        return example === undefined ? undefined : this.#random.hasChance(8) ? !example : example;
      case 'choice':
        return this.#choice(field);
      case 'date':
        return required || this.#resource.transactional ? example : this.#randomDate(example);
      case 'words':
        return this.#random.sample(field.traits.allowed ?? [], 2);
      case 'one':
        return this.#relatedRecord(target, required === true);
      case 'many':
        return this.#relatedRecords(declared);
      case 'objects':
      case 'ring':
      case 'ids':
        return undefined;
      default:
        return required ? example : undefined;
    }
  }

  #text({ name, field }: ManifestField, index: number, title: string): unknown {
    const { example, form, required, unique } = field.traits;
    if (name === this.#resource.title) return title;
    const mailName = title.toLowerCase().replaceAll(' ', '.');
    if (form === 'email') return `${mailName}.${index + 1}@example.com`;
    if (form === 'phone') return `599${String((this.#seed * 10_007 + index) % 1_000_000).padStart(6, '0')}`;
    const isIdentifying = unique || this.#resource.key.includes(name);
    if (isIdentifying && typeof example === 'string') return uniqueValue(example, this.#seed, index);
    return required ? example : undefined;
  }

  /** Returns a number near the example, with the same precision. */
  #numberNear({ traits, kind }: Field, example: number): number {
    if (kind === 'integer' || traits.required) return example;
    const value = Math.round(example * this.#random.between(50, 150)) / 100;
    return Math.min(traits.maximum ?? value, Math.max(traits.minimum ?? value, value));
  }

  #choice(field: Field): unknown {
    const { creatable, words = {}, formDefault, limits, example } = field.traits;
    if (formDefault !== undefined || limits) return wordOf(field, Number(formDefault ?? example));
    const value = this.#random.pick(creatable ?? Object.values(words));
    return wordOf(field, value) ?? value;
  }

  #randomDate(example: unknown): string | undefined {
    if (typeof example !== 'string' || this.#random.hasChance(3)) return undefined;
    const timeMs = Date.parse(example) + this.#random.between(-4000, 4000) * 86_400_000;
    return new Date(timeMs).toISOString().slice(0, 10);
  }

  #relatedRecord(target: string, isRequired: boolean): unknown {
    const existingRows = this.#generated.get(target) ?? [];
    if (existingRows.length > 0) return this.#keyOf(target, this.#random.pick(existingRows));
    if (!isRequired) return undefined;
    const targetResource = this.#api.resource(target);
    throw usage(`${this.#resource.nouns} can't be created without ${this.#api.nounsOf(target)}.`, {
      hint: targetResource
        ? `Also create some: --count ${targetResource.command}=10`
        : "The API can't create them: use a manifest that refers to existing records.",
    });
  }

  #relatedRecords({ field, entry }: ManifestField): unknown {
    const { target = '', targetFilter } = field.traits;
    if (target === this.#resource.name) return undefined;
    const matchingRows = (this.#generated.get(target) ?? []).filter(
      (row) =>
        !targetFilter ||
        row[targetFilter.field] === this.#wordOf(target, targetFilter.field, targetFilter.value),
    );
    if (matchingRows.length === 0) return undefined;
    const keys = this.#random
      .sample(matchingRows, this.#random.between(0, 3))
      .map((row) => this.#keyOf(target, row));
    if (entry === undefined) return keys;
    const pivotFields = linkFields(field).filter(({ field: { traits } }) => traits.example !== undefined);
    const pivot = Object.fromEntries(
      pivotFields.map(({ name, field: { traits } }) => [name, traits.example]),
    );
    return keys.map((key) => ({ [entry]: key, ...pivot }));
  }

  #wordOf(target: string, name: string, value: number): unknown {
    const field = this.#api.resource(target)?.fields[name];
    return field ? wordOf(field, value) : value;
  }

  #keyOf(target: string, row: Row): unknown {
    const key = this.#api.resource(target)?.key.find((name) => row[name] !== undefined);
    return key === undefined ? undefined : row[key];
  }
}

/**
 * Makes a unique value: `SKU-901` becomes `S7-SKU-00001`, and `1042` becomes `1042700001`. No existing record has
 * these values.
 */
function uniqueValue(example: string, seed: number, index: number): string {
  const number = String(index + 1).padStart(5, '0');
  if (/^\d+$/.test(example)) return `${example}${seed}${number}`;
  return `S${seed}-${example.replace(/[\d\s-]*$/, '')}-${number}`;
}
