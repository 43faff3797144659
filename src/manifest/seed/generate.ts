/**
 * Generates realistic, related records for tests from the contract's examples. The same seed gives the same
 * records.
 */

import { usage } from '../../base/errors.ts';
import { RandomGenerator } from '../../base/random.ts';
import type { Api } from '../../contract/api.ts';
import { isStoredByTarget } from '../../contract/dependency-order.ts';
import type { Field } from '../../contract/field.ts';
import { linkFields } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { wordOf } from '../../contract/value-text.ts';
import type { Row } from '../../session/row.ts';
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
    const chance = new RandomGenerator(seed * 7919 + api.collections.indexOf(resource));
    const generator = new Generator(resource, { api, seed, chance }, generated);
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
  readonly #made: ReadonlyMap<string, readonly Row[]>;
  readonly #chance: RandomGenerator;
  readonly #seed: number;
  readonly #fields: readonly ManifestField[];
  readonly #isOfPeople: boolean;

  constructor(
    resource: Resource,
    { api, seed, chance }: Pick<SeedOptions, 'api' | 'seed'> & { chance: RandomGenerator },
    made: ReadonlyMap<string, readonly Row[]>,
  ) {
    this.#resource = resource;
    this.#api = api;
    this.#seed = seed;
    this.#made = made;
    this.#chance = chance;
    this.#isOfPeople = resource.fields[resource.title ?? '']?.traits.form === 'person';
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
    const isNamed = this.#resource.key.some((key) => record[key] !== undefined);
    // A record without a natural key is identified by its related records and its name.
    const names = this.#fields
      .filter(({ name: each, field }) => field.kind === 'one' || each === this.#resource.title)
      .map((field) => field.name);
    return isNamed ? record : { $key: names.filter((each) => record[each] !== undefined), ...record };
  }

  #name(index: number): string {
    if (this.#isOfPeople) return `${this.#chance.pick(words.given)} ${this.#chance.pick(words.families)}`;
    return `${this.#chance.pick(words.kinds)} ${this.#chance.pick(words.things)} ${index + 1}`;
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
        return example === undefined ? undefined : this.#chance.hasChance(8) ? !example : example;
      case 'choice':
        return this.#choice(field);
      case 'date':
        return required || this.#resource.transactional ? example : this.#randomDate(example);
      case 'words':
        return this.#chance.sample(field.traits.allowed ?? [], 2);
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
    if (isIdentifying && typeof example === 'string') return numbered(example, this.#seed, index);
    return required ? example : undefined;
  }

  /** Returns a number near the example, with the same precision. */
  #numberNear({ traits, kind }: Field, example: number): number {
    if (kind === 'integer' || traits.required) return example;
    const value = Math.round(example * this.#chance.between(50, 150)) / 100;
    return Math.min(traits.maximum ?? value, Math.max(traits.minimum ?? value, value));
  }

  #choice(field: Field): unknown {
    const { creatable, words = {}, formDefault, limits, example } = field.traits;
    if (formDefault !== undefined || limits) return wordOf(field, Number(formDefault ?? example));
    const value = this.#chance.pick(creatable ?? Object.values(words));
    return wordOf(field, value) ?? value;
  }

  #randomDate(example: unknown): string | undefined {
    if (typeof example !== 'string' || this.#chance.hasChance(3)) return undefined;
    const day = Date.parse(example) + this.#chance.between(-4000, 4000) * 86_400_000;
    return new Date(day).toISOString().slice(0, 10);
  }

  #relatedRecord(target: string, isRequired: boolean): unknown {
    const existing = this.#made.get(target) ?? [];
    if (existing.length > 0) return this.#keyOf(target, this.#chance.pick(existing));
    if (!isRequired) return undefined;
    const other = this.#api.resource(target);
    throw usage(`${this.#resource.nouns} can't be created without ${this.#api.nounsOf(target)}.`, {
      hint: other
        ? `Also create some: --count ${other.command}=10`
        : "The API can't create them: use a manifest that refers to existing records.",
    });
  }

  #relatedRecords({ field, entry }: ManifestField): unknown {
    const { target = '', targetFilter } = field.traits;
    if (target === this.#resource.name) return undefined;
    const fitting = (this.#made.get(target) ?? []).filter(
      (row) =>
        !targetFilter ||
        row[targetFilter.field] === this.#wordOf(target, targetFilter.field, targetFilter.value),
    );
    if (fitting.length === 0) return undefined;
    const chosen = this.#chance
      .sample(fitting, this.#chance.between(0, 3))
      .map((row) => this.#keyOf(target, row));
    if (entry === undefined) return chosen;
    const linkedFields = linkFields(field).filter(({ field: { traits } }) => traits.example !== undefined);
    const pivot = Object.fromEntries(
      linkedFields.map(({ name, field: { traits } }) => [name, traits.example]),
    );
    return chosen.map((key) => ({ [entry]: key, ...pivot }));
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
function numbered(example: string, seed: number, index: number): string {
  const number = String(index + 1).padStart(5, '0');
  if (/^\d+$/.test(example)) return `${example}${seed}${number}`;
  return `S${seed}-${example.replace(/[\d\s-]*$/, '')}-${number}`;
}
