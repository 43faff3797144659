/** Converts declared records to the JSON of a saved plan, and back. */
import { type Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { isScalar } from '../../base/number-text.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Declared, DeclaredValue } from '../declared/declared.ts';
import { manifestFields } from '../declared/fields.ts';
import { Ref, replaceRefs } from '../declared/ref.ts';
import { plainLocation } from '../source/node.ts';

/** A declared record as a saved plan stores it: plain data, with names instead of resources and fields. */
export interface StoredRecord extends Omit<Declared, 'resource' | 'values'> {
  resource: string;
  values: Record<string, Pick<DeclaredValue, 'value' | 'expanded'>>;
}

/** Returns a declared record as a saved plan stores it. */
export function toStoredRecord(record: Declared): StoredRecord {
  const values = [...record.values].map(([name, { value, expanded }]) => [name, { value, expanded }]);
  const stored = {
    ...record,
    resource: record.resource.name,
    location: plainLocation(record.location),
    values: Object.fromEntries(values),
  };
  const toStoredRef = (ref: Ref) => ({ $ref: { ...ref, location: plainLocation(ref.location) } });
  return replaceRefs(stored, toStoredRef) as StoredRecord;
}

/** Returns the declared record of a saved plan. Throws `usage` for a field that this version of boh doesn't have. */
export function fromStoredRecord(stored: StoredRecord, resource: Resource): Declared {
  const { values, ...record } = fromStoredValue(stored) as StoredRecord;
  const fields = manifestFields(resource);
  const entries = Object.entries(values).map(([name, value]): [string, DeclaredValue] => {
    const field = fields.get(name);
    if (!field) throw unknownName(`${resource.command} ${name}`);
    return [name, { ...value, field, location: record.location }];
  });
  return { ...record, resource, values: new Map(entries) };
}

function fromStoredValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromStoredValue);
  if (typeof value !== 'object' || value === null || isScalar(value)) return value;
  if ('$ref' in value) {
    const { target, by, location, targetFilter } = value.$ref as Ref;
    return new Ref(target, by, location, targetFilter);
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fromStoredValue(inner)]));
}

/** Returns the failure for a resource or field that this version of boh doesn't have. */
export function unknownName(name: string): Failure {
  return usage(`The plan contains ${name}, which this version of boh doesn't support.`, {
    hint: boh.hint`To plan again with this version: ${boh.account('plan', 'PATH', '--out', 'FILE')}`,
  });
}
