/** Finds keys that are nearly the same: boh treats them as different, but a service or a person may take them for one. */
import { keyForm, similarKeyForm } from '../contract/key-form.ts';
import { isSimilarPhone } from '../contract/phone-form.ts';
import { keyText, type RecordKey } from './record-key.ts';
import type { Row } from './row.ts';

/**
 * Returns whether two keys differ only in what people mix up, such as case, accents or the way to write a phone number:
 * they name two records, and people may have meant one. Phone numbers of two countries are never nearly the same.
 */
export function isSimilarKey(key: RecordKey, one: readonly string[], other: readonly string[]): boolean {
  let isSame = true;
  for (const [at, { field }] of key.entries()) {
    const [a = '', b = ''] = [one[at], other[at]];
    if (keyForm(field, a) === keyForm(field, b)) continue;
    isSame = false;
    const isNear =
      field?.traits.form === 'phone'
        ? isSimilarPhone(a, b)
        : similarKeyForm(field, a) === similarKeyForm(field, b);
    if (!isNear) return false;
  }
  return !isSame;
}

/** Two keys that are nearly the same: of an item that is looked for, and of another item or of a record. */
export interface SimilarKey<Item> {
  item: Item;
  values: readonly string[];
  other: { item: Item; values: readonly string[] } | { record: Row; values: readonly string[] };
}

/** The sentence that messages add to keys that are nearly the same. */
export const similarKeyNote =
  'They differ only in case, accents, forms of Arabic letters, digits of another script or spelling of a phone number.';

/** Collects nearly equal keys among the items that are looked for and the records that are read on their account. */
export class SimilarKeys<Item> {
  readonly found: SimilarKey<Item>[] = [];
  readonly #key: RecordKey;
  readonly #byForm = new Map<string, { item: Item; values: readonly string[] }>();
  /** Ids of records: a list may show one twice. */
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
    const near = this.#byForm.get(this.#formOf(values));
    if (!near || this.#records.has(record.id) || !isSimilarKey(this.#key, near.values, values)) return;
    this.#records.add(record.id);
    this.found.push({ ...near, other: { record, values } });
  }

  #formOf(values: readonly string[]): string {
    return JSON.stringify(values.map((value, at) => similarKeyForm(this.#key[at]?.field, value)));
  }
}
