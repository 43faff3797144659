/** Converts declared records to the JSON of a saved plan, and back. */
import { type Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { isScalar } from '../../base/number-text.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Declared, DeclaredValue, KeyPart } from '../declared/declared.ts';
import { manifestFields } from '../declared/fields.ts';
import { type RecordIdentifier, Ref } from '../declared/ref.ts';
import type { ExpandedVariables } from '../plan/change.ts';
import { type FileLocation, plainLocation } from '../source/node.ts';

/** A declared record as a saved plan stores it. */
export interface StoredRecord {
  resource: string;
  at: FileLocation;
  key: KeyPart[];
  old_key?: KeyPart[];
  exact: boolean;
  /** Missing if the record isn't declared absent. */
  absent?: true;
  given: Record<string, unknown>;
  /** Missing if no variable was expanded. */
  expanded?: ExpandedVariables;
}

/** Returns a declared record as a saved plan stores it. */
export function toStoredRecord({
  resource,
  location,
  key,
  oldKey,
  isExact,
  isAbsent,
  values,
}: Declared): StoredRecord {
  const expandedVariables = [...values].flatMap(([name, { expanded }]) =>
    expanded ? [[name, expanded] as const] : [],
  );
  return {
    resource: resource.name,
    at: plainLocation(location),
    key: key.map(({ name, value }) => ({ name, value: toStoredValue(value) })),
    ...(oldKey && { old_key: oldKey.map(({ name, value }) => ({ name, value: toStoredValue(value) })) }),
    exact: isExact === true,
    ...(isAbsent && { absent: true }),
    given: Object.fromEntries([...values].map(([name, { value }]) => [name, toStoredValue(value)])),
    ...(expandedVariables.length > 0 && { expanded: Object.fromEntries(expandedVariables) }),
  };
}

/** Returns the declared record of a saved plan. Throws `usage` for a field that this version of boh doesn't have. */
export function fromStoredRecord(
  {
    at: location,
    key,
    old_key: oldKey,
    exact: isExact,
    absent: isAbsent,
    given: storedValues,
    expanded = {},
  }: StoredRecord,
  resource: Resource,
): Declared {
  const fields = manifestFields(resource);
  const entries = Object.entries(storedValues).map(([name, value]): [string, DeclaredValue] => {
    const field = fields.get(name);
    if (!field) throw unknownName(`${resource.command} ${name}`);
    const variables = Object.hasOwn(expanded, name) && expanded[name];
    return [
      name,
      { field, value: fromStoredValue(value), location, ...(variables && { expanded: variables }) },
    ];
  });
  const fromStoredKey = (parts: KeyPart[]) =>
    parts.map(({ name, value }) => ({ name, value: fromStoredValue(value) }));
  return {
    resource,
    location,
    key: fromStoredKey(key),
    oldKey: oldKey && fromStoredKey(oldKey),
    isExact,
    ...(isAbsent && { isAbsent: true }),
    values: new Map(entries),
  };
}

interface StoredRef {
  $ref: { target: string; by: RecordIdentifier; at: FileLocation; only?: Ref['targetFilter'] };
}

function toStoredValue(value: unknown): unknown {
  if (value instanceof Ref) {
    const { target, by, location, targetFilter } = value;
    return {
      $ref: { target, by, at: plainLocation(location), ...(targetFilter && { only: targetFilter }) },
    } satisfies StoredRef;
  }
  if (Array.isArray(value)) return value.map(toStoredValue);
  if (typeof value !== 'object' || value === null || isScalar(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toStoredValue(inner)]));
}

function fromStoredValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromStoredValue);
  if (typeof value !== 'object' || value === null || isScalar(value)) return value;
  if ('$ref' in value) {
    const { target, by, at: location, only: targetFilter } = (value as StoredRef).$ref;
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
