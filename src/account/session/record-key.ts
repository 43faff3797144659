/** Compares records by their keys: fields that identify a record, normalized so that spellings are equal. */

import type { Field } from '../../api/contract/field.ts';
import {
  isCode,
  type KeyRelation,
  normalizeKey,
  relateKeys,
  similarKey,
} from '../../api/contract/normalize-key.ts';
import { type BodyField, operation } from '../../api/contract/operation.ts';
import { internationalNumber } from '../../api/contract/phone-numbers.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { isScalar } from '../../base/number-text.ts';
import { joinItems } from '../../base/shown-items.ts';
import { isRow, type Row } from '../client/shape.ts';
import { filterForKey, type ValueSearch } from './find-queries.ts';

/** A field of a key. `responseName` is its name in responses. */
export interface KeyField {
  responseName: string;
  field?: Field | undefined;
}

/** The fields that identify a record together. */
export type RecordKey = readonly KeyField[];

/** Returns the text of a record's field, or the ID of a related record; undefined if it is empty. */
export function keyText(record: Row, { responseName, field }: KeyField): string | undefined {
  const value = record[responseName] ?? (field?.kind === 'one' ? record[`${responseName}_id`] : undefined);
  return keyValue(isRow(value) ? value.id : value);
}

/** Returns the values of a record's key for messages: `Ada, 5551`. */
export function keyTexts(record: Row, key: RecordKey): string {
  return key.map((keyField) => keyText(record, keyField)).join(', ');
}

/** Returns a value of a key as text; undefined for an empty value or one that can't be part of a key. */
export function keyValue(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '' || !isScalar(value)) return undefined;
  return String(value);
}

/**
 * Returns whether a field can contain the text, to avoid useless requests: an email address has an @, a phone number
 * has no letters.
 */
export function canContain(field: Field | undefined, text: string): boolean {
  const form = field?.traits.form;
  if (form === 'email') return text.includes('@');
  return form !== 'phone' || /^[\d\s()+./-]+$/.test(text);
}

/** Returns the display name of a record: its title, else a field of its key, else its ID. */
export function recordTitle({ key, title }: Pick<Resource, 'title' | 'key'>, record: Row): string {
  const names = title === undefined ? key : [title, ...key];
  const name = names.map((name) => record[name]).find((value) => typeof value === 'string' && value !== '');
  return String(name ?? record.id);
}

/** Returns the name of a record with another identifying value: `Huda Al-Amin (510000000)`. */
export function displayNameOf({ title = '', key }: Resource, row: Row): string {
  const name = row[title];
  const code = key
    .map((field) => row[field])
    .find((value) => value !== name && value != null && value !== '');
  return typeof name === 'string' ? `${name} (${String(code ?? row.id)})` : String(row.id);
}

/** Returns the records that match an ambiguous name or key: `42 (Fresh Farms), 43 (Fresh Farms) and 3 more`. */
export function formatCandidates({ title }: Resource, rows: readonly Row[]): string {
  const texts = rows.map((row) => {
    const name = title === undefined ? undefined : row[title];
    return typeof name === 'string' ? `${row.id} (${name})` : String(row.id);
  });
  return joinItems(texts);
}

/** Returns the matching records with their number: `2 suppliers: 42 (Fresh Farms), 43 (Fresh Farms)`. */
export function formatCountedCandidates(resource: Resource, rows: readonly Row[]): string {
  return `${rows.length} ${resource.nouns}: ${formatCandidates(resource, rows)}`;
}

/** Returns the choice fields that can only be set when a record is created, such as the type of a tag. */
export function choicesFixedOnCreation(resource: Resource): BodyField[] {
  const update = operation(resource, 'update');
  return (operation(resource, 'create')?.body ?? []).filter(
    ({ name, field }) => field.kind === 'choice' && !update?.body.some((entry) => entry.name === name),
  );
}

/** Returns whether records are people, who are identified by phone number or email address: two may share a name. */
export function identifiesPeople({ key, fields }: Resource): boolean {
  return key.some((name) => ['phone', 'email', 'person'].includes(fields[name]?.traits.form ?? ''));
}

export function keyFromNames({ fields }: Resource, names: readonly string[]): RecordKey {
  return names.map((responseName) => ({ responseName, field: fields[responseName] }));
}

/** Returns the normalized values of a key as one string; undefined if a value is missing. */
export function joinKeyValues(key: RecordKey, values: readonly (string | undefined)[]): string | undefined {
  if (key.length === 0) return undefined;
  const normalizedValues: string[] = [];
  for (const [index, { field }] of key.entries()) {
    const value = values[index];
    if (value === undefined || value === '') return undefined;
    normalizedValues.push(normalizeKey(field, value));
  }
  return JSON.stringify(normalizedValues);
}

/** Returns the normalized key of a record as one string; undefined if a value is missing. */
export function keyOfRecord(record: Row, key: RecordKey): string | undefined {
  return joinKeyValues(
    key,
    key.map((keyField) => keyText(record, keyField)),
  );
}

/** Returns the field by whose kind a key is folded; undefined for IDs, which aren't folded. */
function foldedField({ responseName, field }: KeyField): Field | undefined {
  return responseName === 'id' ? undefined : field;
}

/** Returns whether a key is one code, so that new records with a similar one are refused. */
export function isCodeKey([part, ...otherParts]: RecordKey): boolean {
  return part !== undefined && otherParts.length === 0 && isCode(foldedField(part));
}

/** The values of a key: as text, and phone numbers also with the calling code of their record. */
type KeyValues = readonly { text: string; dialed: string }[];

function keyValuesOf(key: RecordKey, record: Row): KeyValues {
  return key.map((part) => {
    const text = keyText(record, part) ?? '';
    return { text, dialed: internationalNumber(part.field, text, record) };
  });
}

function relate(key: RecordKey, a: KeyValues, b: KeyValues): KeyRelation | undefined {
  let result: KeyRelation = 'same';
  for (const [index, part] of key.entries()) {
    const [valueA, valueB] = [a[index], b[index]];
    if (!valueA || !valueB) return undefined;
    if (normalizeKey(part.field, valueA.text) === normalizeKey(part.field, valueB.text)) continue;
    const relation = relateKeys(foldedField(part), valueA.dialed, valueB.dialed);
    if (relation === undefined) return undefined;
    if (result !== 'similar') result = relation === 'same' ? 'folded' : relation;
  }
  return result;
}

/** Returns how alike the keys of two records are; undefined if they are different. */
export function relateRecords(key: RecordKey, a: Row, b: Row): KeyRelation | undefined {
  return relate(key, keyValuesOf(key, a), keyValuesOf(key, b));
}

/** Items with a key that a record may have. */
interface KeyGroup<Item> {
  key: RecordKey;
  /** Only records without a value in this field match. */
  unless: KeyField | undefined;
  /** The items with their values, by the similar form of the key, which is equal for all related keys. */
  items: Map<string, { item: Item; values: KeyValues }[]>;
  /** The values of each field, as written. */
  texts: Set<string>[];
}

/** Items by how alike their keys are to that of a record. */
export type RelatedItems<Item> = Record<KeyRelation, Item[]>;

/** Finds the items that match a record, by keys of one or several fields. */
export class KeyIndex<Item> {
  readonly #groups = new Map<string, KeyGroup<Item>>();

  /**
   * Adds an item, to be found by the key of a record. Ignores it if a value of the key is missing. With `unless`, only records
   * without a value in that field match.
   */
  add(key: RecordKey, record: Row, item: Item, unless?: KeyField): void {
    const values = keyValuesOf(key, record);
    if (key.length === 0 || values.some(({ text }) => text === '')) return;
    const group = this.#groupOf(key, unless);
    const form = similarForm(key, values);
    const items = group.items.get(form);
    if (items) items.push({ item, values });
    else group.items.set(form, [{ item, values }]);
    for (const [index, { text, dialed }] of values.entries()) group.texts[index]?.add(text).add(dialed);
  }

  /** Returns the searches that find the records; see `ValueSearch` for `spellings`. */
  searches(resource: Resource, spellings?: ValueSearch['spellings']): ValueSearch[] {
    const byField = new Map<string, Set<string>>();
    for (const { key, texts } of this.#groups.values()) {
      const fieldName = filterForKey(
        resource,
        key.map(({ responseName }) => responseName),
      );
      const index = key.findIndex(({ responseName }) => responseName === fieldName);
      const values = byField.get(fieldName ?? '') ?? new Set<string>();
      byField.set(fieldName ?? '', values);
      for (const text of texts[Math.max(0, index)] ?? []) values.add(text);
    }
    return [...byField].map(([fieldName, values]) => ({ by: fieldName, values, spellings }));
  }

  /** Returns the items whose key is the same as that of a record, another spelling of it, or similar. */
  related(record: Row): RelatedItems<Item> {
    const related: RelatedItems<Item> = { same: [], folded: [], similar: [] };
    for (const { key, unless, items } of this.#groups.values()) {
      if (unless && keyText(record, unless) !== undefined) continue;
      const recordValues = keyValuesOf(key, record);
      for (const { item, values } of items.get(similarForm(key, recordValues)) ?? []) {
        const relation = relate(key, values, recordValues);
        if (relation) related[relation].push(item);
      }
    }
    return related;
  }

  #groupOf(key: RecordKey, unless?: KeyField): KeyGroup<Item> {
    const name = JSON.stringify([key.map(({ responseName }) => responseName), unless?.responseName]);
    const group = this.#groups.get(name) ?? {
      key,
      unless,
      items: new Map<string, { item: Item; values: KeyValues }[]>(),
      texts: key.map(() => new Set<string>()),
    };
    this.#groups.set(name, group);
    return group;
  }
}

function similarForm(key: RecordKey, values: KeyValues): string {
  return JSON.stringify(key.map((part, index) => similarKey(foldedField(part), values[index]?.text ?? '')));
}
