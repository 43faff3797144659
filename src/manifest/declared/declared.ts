/** Records as manifests declare them: what is said of each, and by what it is known. */
import { usage } from '../../base/errors.ts';
import { keyForm } from '../../contract/key-form.ts';
import type { Resource } from '../../contract/resource.ts';
import { wordOf } from '../../contract/text.ts';
import type { Place } from '../source/node.ts';
import type { ManifestField } from './fields.ts';
import { Ref, replaceRefs } from './ref.ts';

export interface Given {
  field: ManifestField;
  /** In the shape in which it is sent, with a `Ref` in the place of each id; of a secret, its template. */
  value: unknown;
  /** Variables of the environment whose values are in it; undefined where there are none, and of secrets. */
  expanded?: readonly string[];
  at: Place;
}

/** A value by which a record is known; a relation stands there as a `Ref`. */
export interface KeyPart {
  /** As answers call it. */
  name: string;
  value: unknown;
}

export interface Declared {
  resource: Resource;
  at: Place;
  key: readonly KeyPart[];
  /** The key that it had before, where it was renamed. */
  oldKey: readonly KeyPart[] | undefined;
  /** Links and members of lists that aren’t named go; undefined where nothing is said of it. */
  isExact: boolean | undefined;
  /** By name, in the order of the file. */
  given: ReadonlyMap<string, Given>;
}

/** Everything that the files declare. */
export interface Declaration {
  records: readonly Declared[];
  /** Resources that the files name, those without a record included. */
  resources: readonly Resource[];
  /** What people should know of how the files were read, in sentences. */
  remarks?: readonly string[];
}

/** As people read it: `TOM-01`, or `Home, Huda Al-Amin`; enumerations by their words. */
export function keyText({ resource, key }: Pick<Declared, 'resource' | 'key'>): string {
  return key.map((part) => partText(part, resource)).join(', ');
}

function partText({ name, value }: KeyPart, { fields }: Resource): string {
  if (value instanceof Ref) return value.text;
  const field = fields[name];
  return (field?.kind === 'choice' ? wordOf(field, value) : undefined) ?? String(value);
}

/** The same for two records that are known by the same values of the same fields. */
export function keyMark({ resource, key }: Pick<Declared, 'resource' | 'key'>): string {
  const parts = key.map(({ name, value }) => [
    name,
    value instanceof Ref ? value.mark : formOf(resource, name, value),
  ]);
  return JSON.stringify([resource.name, parts]);
}

/** By which the value of a field says which record is meant, however either side writes it. */
export function formOf({ fields }: Resource, name: string, value: unknown): string {
  return keyForm(fields[name], typeof value === 'string' ? value : String(value));
}

/** Returns the declared value of a field, or undefined where the record doesn't name the field. */
export function givenValue(record: Declared, name: string): unknown {
  return record.given.get(name)?.value;
}

/** Returns the same record with each reference in it replaced by what `replace` returns for it. */
export function replacedIn(record: Declared, replace: (ref: Ref) => unknown): Declared {
  const given = [...record.given].map(
    ([name, one]) => [name, { ...one, value: replaceRefs(one.value, replace) }] as const,
  );
  const partOf = ({ name, value }: KeyPart): KeyPart => ({ name, value: replaceRefs(value, replace) });
  return {
    ...record,
    given: new Map(given),
    key: record.key.map(partOf),
    oldKey: record.oldKey?.map(partOf),
  };
}

/** Throws `usage` where there is nothing to look at. */
export function demandRecords({ records, resources }: Declaration): void {
  if (records.length > 0) return;
  const names = resources.map(({ command }) => command).join(', ');
  throw usage('The files name no record.', {
    hint: `They name resources without any record of them: ${names}.`,
  });
}
