/** Finds the item that a row of a price list means: by the sender's code, then by the item's own keys and name. */
import { foldWords } from '../../base/fold-text.ts';
import type { Field } from '../../contract/field.ts';
import type { PriceLists } from '../../contract/price-lists.ts';
import type { Resource } from '../../contract/resource.ts';
import { linksIn, pivotOf } from '../../session/record-body.ts';
import { formatCandidates, KeyIndex } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';

/** The result for a row: its item and the field that matched, with the code or name if the item has another spelling; or the reason why there is none. */
export type ItemMatch =
  | { item: Row; by: string; written?: string | undefined }
  | { problem: string; isUnknown: boolean };

/** Finds items by the values of a row. */
export class ItemFinder {
  readonly #target: Resource;
  readonly #items: readonly Row[];
  readonly #keys: readonly string[];
  /** Items by each field. The sender's codes are a field, too. */
  readonly #index = new KeyIndex<Row>();
  readonly #codeField: string;

  /** `record` is the sender with its links to items in `field`; `items` are all items of the account. */
  constructor(
    record: Row,
    items: readonly Row[],
    target: Resource,
    { code, keys }: PriceLists,
    field: string,
    codeField: Field | undefined,
  ) {
    this.#target = target;
    this.#items = items;
    this.#keys = keys;
    this.#codeField = code;
    const byId = new Map(items.map((item) => [item.id, item]));
    const links = linksIn(record, field) ?? [];
    const add = (responseName: string, value: unknown, item: Row, field: Field | undefined) =>
      this.#index.add([{ responseName, field }], { [responseName]: value }, item);
    for (const link of links) add(code, pivotOf(link)[code], byId.get(link.id) ?? link, codeField);
    for (const key of keys) for (const item of items) add(key, item[key], item, target.fields[key]);
  }

  /** Finds the item of a row. Values of different items in one row are a problem. */
  find(values: Row): ItemMatch {
    // A price list may call the sender's code a SKU, and a confirmed name is stored as the code.
    const searches = [
      ...[this.#codeField, ...this.#keys].map((name) => [this.#codeField, values[name]] as const),
      ...this.#keys.map((key) => [key, values[key]] as const),
    ];
    let found: Extract<ItemMatch, { item: Row }> | undefined;
    for (const [field, value] of searches) {
      if (typeof value !== 'string' || value === '') continue;
      const match = this.#findBy(field, value);
      if (!match) continue;
      if ('problem' in match) return found ?? match;
      if (found && found.item.id !== match.item.id && field !== 'name') {
        const [first, second] = [found.by, match.by].map((name) => this.#label(name));
        const items = formatCandidates(this.#target, [found.item, match.item]);
        return {
          problem: `its ${first} and its ${second} belong to different items: ${items}`,
          isUnknown: false,
        };
      }
      found ??= match;
    }
    return found ?? { problem: `isn't one of the ${this.#target.nouns}`, isUnknown: true };
  }

  /** Returns the items with a code that is similar to one of the row, for example with other leading zeros. */
  findSimilarCodes(values: Row): Row[] {
    const names = [this.#codeField, ...this.#keys].filter((name) => name !== this.#target.title);
    return [...new Set(names.flatMap((name) => this.#index.related({ [name]: values[name] }).similar))];
  }

  /** Returns the items with the most words of a name, at most `count`. */
  suggest(name: string, count: number): Row[] {
    const words = new Set(foldWords(name));
    const shared = (item: Row) => {
      const itemWords = foldWords(String(item.name ?? ''));
      const common = itemWords.filter((word) => words.has(word)).length;
      return (2 * common) / (itemWords.length + words.size || 1);
    };
    const ranked = this.#items.map((item) => ({ item, score: shared(item) }));
    return ranked
      .filter(({ score }) => score >= 0.4)
      .sort((a, b) => b.score - a.score)
      .slice(0, count)
      .map(({ item }) => item);
  }

  #findBy(field: string, value: string): ItemMatch | undefined {
    const { same, folded } = this.#index.related({ [field]: value });
    const items = [...new Set(same.length > 0 ? same : folded)];
    const [item, ...others] = items;
    if (!item) return undefined;
    const candidates = formatCandidates(this.#target, items);
    if (others.length > 0)
      return {
        problem: `its ${this.#label(field)} belongs to several items: ${candidates}`,
        isUnknown: false,
      };
    return { item, by: field, written: same.length > 0 ? undefined : value };
  }

  #label(field: string): string {
    return field === this.#codeField ? 'code' : (this.#target.fields[field]?.traits.label ?? field);
  }
}
