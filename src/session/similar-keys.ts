/** Finds similar keys: boh treats them as different, but a service or a person may not. */
import { foldKey, normalizeKey } from '../contract/key-form.ts';
import { isSimilarPhone } from '../contract/phone-form.ts';
import { keyText, type RecordKey } from './record-key.ts';
import type { Row } from './row.ts';

/**
 * Returns whether two keys differ only in case, accents or the spelling of a phone number, so that they may mean the same
 * record. Phone numbers of two countries are never similar.
 */
export function isSimilarKey(key: RecordKey, one: readonly string[], other: readonly string[]): boolean {
  let isSame = true;
  for (const [at, { field }] of key.entries()) {
    const [a = '', b = ''] = [one[at], other[at]];
    if (normalizeKey(field, a) === normalizeKey(field, b)) continue;
    isSame = false;
    const isSimilar =
      field?.traits.form === 'phone' ? isSimilarPhone(a, b) : foldKey(field, a) === foldKey(field, b);
    if (!isSimilar) return false;
  }
  return !isSame;
}

/** Two similar keys: of an item, and of another item or a record. */
export interface SimilarKey<Item> {
  item: Item;
  values: readonly string[];
  other: { item: Item; values: readonly string[] } | { record: Row; values: readonly string[] };
}

/** The note that messages about similar keys contain. */
export const similarKeyNote =
  'They differ only in case, accents, forms of Arabic letters, digits of another script or spelling of a phone number.';

/** Collects similar keys of items and of existing records. */
export class SimilarKeys<Item> {
  readonly found: SimilarKey<Item>[] = [];
  readonly #key: RecordKey;
  readonly #byForm = new Map<string, { item: Item; values: readonly string[] }>();
  /** The ids of records: a list may show one twice. */
  readonly #records = new Set<unknown>();

  constructor(key: RecordKey) {
    this.#key = key;
  }

  add(values: readonly string[], item: Item): void {
    const form = this.#formOf(values);
    const before = this.#byForm.get(form);
    if (!before) this.#byForm.set(form, { item, values });
    else if (isSimilarKey(this.#key, before.values, values)) this.found.push({ item, values, other: before });
  }

  addRecord(record: Row): void {
    if (this.#byForm.size === 0) return;
    const values = this.#key.map((each) => keyText(record, each) ?? '');
    const similar = this.#byForm.get(this.#formOf(values));
    if (!similar || this.#records.has(record.id) || !isSimilarKey(this.#key, similar.values, values)) return;
    this.#records.add(record.id);
    this.found.push({ ...similar, other: { record, values } });
  }

  #formOf(values: readonly string[]): string {
    return JSON.stringify(values.map((value, at) => foldKey(this.#key[at]?.field, value)));
  }
}
