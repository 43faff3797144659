/** Finds similar keys: boh treats them as different, but services and people may treat them as equal. */
import { foldKey, normalizeKey } from '../contract/normalize-key.ts';
import { isSimilarPhone } from '../contract/phone-numbers.ts';
import { keyText, type RecordKey } from './record-key.ts';
import type { Row } from './row.ts';

/**
 * Returns whether two keys differ only in case, accents or the spelling of a phone number, so that they may mean the same
 * record. Phone numbers of two countries are never similar.
 */
export function isSimilarKey(
  key: RecordKey,
  aValues: readonly string[],
  bValues: readonly string[],
): boolean {
  let isEqual = true;
  for (const [index, { field }] of key.entries()) {
    const [a = '', b = ''] = [aValues[index], bValues[index]];
    if (normalizeKey(field, a) === normalizeKey(field, b)) continue;
    isEqual = false;
    const isSimilar =
      field?.traits.form === 'phone' ? isSimilarPhone(a, b) : foldKey(field, a) === foldKey(field, b);
    if (!isSimilar) return false;
  }
  return !isEqual;
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
  readonly matches: SimilarKey<Item>[] = [];
  readonly #key: RecordKey;
  readonly #byNormalizedKey = new Map<string, { item: Item; values: readonly string[] }>();
  /** The IDs of the added records: a list may contain a record twice. */
  readonly #records = new Set<unknown>();

  constructor(key: RecordKey) {
    this.#key = key;
  }

  /** Adds an item with the values of its key. */
  add(values: readonly string[], item: Item): void {
    const normalizedKey = this.#normalize(values);
    const earlier = this.#byNormalizedKey.get(normalizedKey);
    if (!earlier) this.#byNormalizedKey.set(normalizedKey, { item, values });
    else if (isSimilarKey(this.#key, earlier.values, values))
      this.matches.push({ item, values, other: earlier });
  }

  /** Compares an existing record with the added items. */
  addRecord(record: Row): void {
    if (this.#byNormalizedKey.size === 0) return;
    const values = this.#key.map((keyField) => keyText(record, keyField) ?? '');
    const similar = this.#byNormalizedKey.get(this.#normalize(values));
    if (!similar || this.#records.has(record.id) || !isSimilarKey(this.#key, similar.values, values)) return;
    this.#records.add(record.id);
    this.matches.push({ ...similar, other: { record, values } });
  }

  #normalize(values: readonly string[]): string {
    return JSON.stringify(values.map((value, index) => foldKey(this.#key[index]?.field, value)));
  }
}
