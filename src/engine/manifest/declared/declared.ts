/** Records as manifests declare them: their key and their values. */

import { normalizeKey, relateKeys } from '../../../api/contract/normalize-key.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { wordOf } from '../../../api/contract/value-text.ts';
import { usage } from '../../../base/errors.ts';
import type { Mistakes } from '../source/mistakes.ts';
import type { FileLocation } from '../source/node.ts';
import type { ManifestField } from './fields.ts';
import { Ref } from './ref.ts';

export interface DeclaredValue {
  field: ManifestField;
  /** The value as it is sent, with a `Ref` instead of each ID; for a secret, its template. */
  value: unknown;
  /**
   * The variables of the environment that are expanded in the value; undefined if there are none, and for secrets.
   */
  expanded?: readonly string[];
  location: FileLocation;
}

/** One field of a key with its value, which is a `Ref` for a relation. */
export interface KeyPart {
  /** The name of the field in responses. */
  name: string;
  value: unknown;
}

export interface Declared {
  resource: Resource;
  location: FileLocation;
  key: readonly KeyPart[];
  /** The former key, if the record was renamed. */
  oldKey: readonly KeyPart[] | undefined;
  /** Whether unnamed links and list members are removed; undefined if the files don't specify it. */
  isExact: boolean | undefined;
  /** The values by field name, in the order of the file. */
  values: ReadonlyMap<string, DeclaredValue>;
  /** Whether the record is deleted if it exists; undefined if the files don't specify it. */
  isAbsent?: boolean | undefined;
  /** Whether parts of the record have mistakes. It is then only used to resolve references. */
  isBroken?: boolean;
}

/** Everything that the files declare. */
export interface Declaration {
  records: readonly Declared[];
  /** The resources that the files name, including those without records. */
  resources: readonly Resource[];
  /** Notes for the user on how the files were read. */
  notes?: readonly string[];
  /** The mistakes in the files. A plan reports them together with mistakes found in the account. */
  errors?: DeclarationErrors;
}

/** The mistakes in the files of a declaration. */
export interface DeclarationErrors {
  mistakes: Mistakes;
  /** The resources of records that could not be read. */
  unreadableResources: ReadonlySet<Resource> | 'all';
}

/** Returns the key as text for messages: `TOM-01`, or `Home, Huda Al-Amin`, with the words of enumerations. */
export function formatRecordKey({ resource, key }: Pick<Declared, 'resource' | 'key'>): string {
  return key.map((part) => formatKeyPart(part, resource)).join(', ');
}

function formatKeyPart({ name, value }: KeyPart, { fields }: Resource): string {
  if (value instanceof Ref) return value.text;
  const field = fields[name];
  return (field?.kind === 'choice' ? wordOf(field, value) : undefined) ?? String(value);
}

/** Returns a string that is equal for two records with the same values of the same key fields. */
export function keyFingerprint({ resource, key }: Pick<Declared, 'resource' | 'key'>): string {
  const parts = key.map(({ name, value }) => [
    name,
    value instanceof Ref ? value.key : normalizeKeyValue(resource, name, value),
  ]);
  return JSON.stringify([resource.name, parts]);
}

/** Returns the normalized value by which records are matched, independent of spelling. */
export function normalizeKeyValue({ fields }: Resource, name: string, value: unknown): string {
  return normalizeKey(fields[name], typeof value === 'string' ? value : String(value));
}

/** Returns whether a value is another spelling of the value by which the record was matched. Only a rename changes that one. */
export function isSpellingOfKey(record: Declared, name: string, current: unknown, desired: unknown): boolean {
  const { resource, key, oldKey } = record;
  if (oldKey || typeof current !== 'string' || typeof desired !== 'string') return false;
  const relation = relateKeys(resource.fields[name], current, desired);
  return key.some((part) => part.name === name) && (relation === 'same' || relation === 'folded');
}

/** Returns the declared value of a field; undefined if the record doesn't contain the field. */
export function declaredValue(record: Declared, name: string): unknown {
  return record.values.get(name)?.value;
}

/** Throws `usage` if the declaration names no resource. */
export function requireRecords({ records, resources }: Declaration): void {
  if (records.length > 0) return;
  const names = resources.map(({ command }) => command).join(', ');
  throw usage('The files contain no records.', {
    hint: `Resources without records: ${names}.`,
  });
}
