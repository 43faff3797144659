/** From single values to a declared record, where all are right at a glance. Whatever is not is read with the words for mistakes. */
import type { Field } from '../../contract/field.ts';
import { isPlainlyValid } from '../../contract/plainly-valid.ts';
import type { Resource } from '../../contract/resource.ts';
import type { PlainScalar } from '../source/likely-records.ts';
import type { RecordPlace } from '../source/node.ts';
import { fieldNamed, type ManifestField, manifestFields } from './fields.ts';
import { PlainRecord, type RecordShape, shapeOf } from './plain-record.ts';
import { Ref } from './ref.ts';
import { isScalarKind, scalarValue } from './scalar-value.ts';

/** Of one file: records of the same names have one shape. */
export class PlainRecords {
  readonly #shapes = new Map<Resource, Map<readonly string[], RecordShape | undefined>>();
  readonly #words = new Map<Field, Map<PlainScalar, unknown>>();

  /** Undefined where the record takes more than a glance. `values` become its own. */
  read(
    resource: Resource,
    { names, values, at }: { names: readonly string[]; values: PlainScalar[]; at: RecordPlace },
  ): PlainRecord | undefined {
    const shape = this.#shapeOf(resource, names);
    if (!shape) return undefined;
    const { fields } = shape;
    const read: unknown[] = values;
    for (let index = 0; index < fields.length; index++) {
      const field = fields[index] as ManifestField;
      const value = this.#value(field.field, values[index] as PlainScalar, at, index);
      if (value === undefined) return undefined;
      read[index] = value;
    }
    return recordOf(shape, read, at);
  }

  #shapeOf(resource: Resource, names: readonly string[]): RecordShape | undefined {
    const own = this.#shapes.get(resource) ?? new Map<readonly string[], RecordShape | undefined>();
    this.#shapes.set(resource, own);
    if (!own.has(names)) own.set(names, plainShape(resource, names));
    return own.get(names);
  }

  #value(field: Field, value: PlainScalar, at: RecordPlace, index: number): unknown {
    if (field.kind === 'one' && value !== null) {
      if (value === '' || typeof value === 'boolean') return undefined;
      const { target = '', only } = field.traits;
      return new Ref(target, { kind: 'text', text: String(value) }, at.ofValue(index), only);
    }
    const isWord = field.kind === 'choice';
    const known = isWord ? this.#words.get(field) : undefined;
    if (known?.has(value)) return known.get(value);
    const read = value === null ? null : scalarValue(field, value);
    if (read === undefined || !isPlainlyValid(field, read)) return undefined;
    if (isWord) this.#words.set(field, (known ?? new Map()).set(value, read));
    return read;
  }
}

/** Undefined where nothing in it may be the key. */
export function recordOf(
  shape: RecordShape,
  values: readonly unknown[],
  at: RecordPlace,
): PlainRecord | undefined {
  for (const keyAt of shape.keys) {
    const value = values[keyAt];
    if (value !== null && value !== '') return new PlainRecord(shape, values, at, keyAt);
  }
  return undefined;
}

/** Undefined where a name is none of a field, or of one that is not for single values. */
function plainShape(resource: Resource, names: readonly string[]): RecordShape | undefined {
  const fields: ManifestField[] = [];
  for (const name of names) {
    const field = fieldNamed(manifestFields(resource), name);
    const { kind, isHidden } = field?.field ?? {};
    const isPlain = kind !== undefined && (kind === 'one' || isScalarKind(kind));
    if (!field || !isPlain || field.link || isHidden || fields.includes(field)) return undefined;
    fields.push(field);
  }
  return shapeOf(resource, fields);
}
