/** Declared records of which no more is held than their values: there may be very many. */
import type { Kind } from '../../contract/field.ts';
import type { Resource } from '../../contract/resource.ts';
import type { RecordPlace } from '../source/node.ts';
import type { Declared, Given, KeyPart } from './declared.ts';
import type { ManifestField } from './fields.ts';
import { type Ref, replaceRefs } from './ref.ts';

/** What records have in common that name the same fields in the same order. */
export interface RecordShape {
  resource: Resource;
  fields: readonly ManifestField[];
  /** Of each field the name, in a list of its own. */
  names: readonly (readonly string[])[];
  /** Where each of the natural keys stands among them, the first first. */
  keys: readonly number[];
  /** Where names of other records may stand among them. */
  refs: readonly number[];
}

export function shapeOf(resource: Resource, fields: readonly ManifestField[]): RecordShape {
  const keys = resource.key
    .map((name) => fields.findIndex((field) => field.name === name))
    .filter((at) => at >= 0);
  const refs = [...fields.keys()].filter((at) => withRefs.has(fields[at]?.field.kind));
  return { resource, fields, names: fields.map(({ name }) => [name]), keys, refs };
}

const withRefs: ReadonlySet<Kind | undefined> = new Set<Kind>(['one', 'many', 'ids', 'object', 'objects']);

export class PlainRecord implements Declared {
  readonly shape: RecordShape;
  /** As `Given` has them. */
  readonly values: readonly unknown[];
  readonly at: RecordPlace;
  readonly oldKey = undefined;
  readonly isExact = undefined;
  readonly #keyAt: number;
  #given: Map<string, Given> | undefined;

  /** `keyAt` is the place of the value by which it is known. */
  constructor(shape: RecordShape, values: readonly unknown[], at: RecordPlace, keyAt: number) {
    this.shape = shape;
    this.values = values;
    this.at = at;
    this.#keyAt = keyAt;
  }

  get resource(): Resource {
    return this.shape.resource;
  }

  get key(): readonly KeyPart[] {
    return [{ name: this.keyName, value: this.keyValue }];
  }

  get keyName(): string {
    return this.shape.names[this.#keyAt]?.[0] ?? '';
  }

  /** The same list for all that are known by this field, of this shape. */
  get keyNames(): readonly string[] {
    return this.shape.names[this.#keyAt] ?? [];
  }

  get keyValue(): unknown {
    return this.values[this.#keyAt];
  }

  givenValue(name: string): unknown {
    const { fields } = this.shape;
    for (let index = 0; index < fields.length; index++)
      if (fields[index]?.name === name) return this.values[index];
    return undefined;
  }

  get given(): ReadonlyMap<string, Given> {
    this.#given ??= new Map(
      this.shape.fields.map((field, index) => [
        field.name,
        { field, value: this.values[index], at: this.at.ofValue(index) },
      ]),
    );
    return this.#given;
  }
}

/** What is said of a field, if anything is. */
export function givenValue(record: Declared, name: string): unknown {
  return record instanceof PlainRecord ? record.givenValue(name) : record.given.get(name)?.value;
}

/** The same record with some of it otherwise. */
export function changedRecord(record: Declared, changes: Partial<Declared>): Declared {
  const { resource, at, key, oldKey, isExact, given } = record;
  return { resource, at, key, oldKey, isExact, given, ...changes };
}

/** The same record with something else in the place of each record that it names. */
export function replacedIn(record: Declared, replace: (ref: Ref) => unknown): Declared {
  const given = [...record.given].map(
    ([name, one]) => [name, { ...one, value: replaceRefs(one.value, replace) }] as const,
  );
  const partOf = ({ name, value }: KeyPart): KeyPart => ({ name, value: replaceRefs(value, replace) });
  return changedRecord(record, {
    given: new Map(given),
    key: record.key.map(partOf),
    oldKey: record.oldKey?.map(partOf),
  });
}
