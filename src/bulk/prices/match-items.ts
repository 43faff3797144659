/** Finds the item that a row of a price list means: by the sender's code, then by the item's own keys and name. */
import { foldWords } from '../../base/fold-text.ts';
import { foldKey, normalizeKey } from '../../contract/normalize-key.ts';
import type { PriceLists } from '../../contract/price-lists.ts';
import type { Resource } from '../../contract/resource.ts';
import { differOnlyInLeadingZeros } from '../../session/leading-zeros.ts';
import { linksIn, pivotOf } from '../../session/record-body.ts';
import { formatCandidates } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';

/** The result for a row: its item and the field that matched, or the reason why there is none. */
export type ItemMatch =
  | { item: Row; by: string; isFolded?: boolean }
  | { problem: string; isUnknown: boolean };

/** Finds items by the values of a row. */
export class ItemFinder {
  readonly #target: Resource;
  readonly #items: readonly Row[];
  readonly #keys: readonly string[];
  /** Items by field, each by the exact and the folded value. The sender's codes are a field, too. */
  readonly #byField = new Map<string, { exact: Map<string, Row[]>; folded: Map<string, Row[]> }>();
  readonly #codeField: string;

  /** `record` is the sender with its links to items; `items` are all items of the account. */
  constructor(
    record: Row,
    items: readonly Row[],
    target: Resource,
    { code, keys }: PriceLists,
    field: string,
  ) {
    this.#target = target;
    this.#items = items;
    this.#keys = keys;
    this.#codeField = code;
    const byId = new Map(items.map((item) => [item.id, item]));
    const links = linksIn(record, field) ?? [];
    this.#index(
      code,
      links.map((link) => [pivotOf(link)[code], byId.get(link.id) ?? link]),
    );
    for (const key of keys)
      this.#index(
        key,
        items.map((item) => [item[key], item]),
      );
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

  /** Returns the items with a code that differs from one of the row only in leading zeros. */
  findWithOtherZeros(values: Row): Row[] {
    const names = [this.#codeField, ...this.#keys];
    const texts = names.map((name) => String(values[name] ?? ''));
    const indexes = names.flatMap((name) => [...(this.#byField.get(name)?.exact ?? [])]);
    const found = indexes.flatMap(([code, items]) =>
      texts.some((text) => differOnlyInLeadingZeros(text, code)) ? items : [],
    );
    return [...new Set(found)];
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

  #index(field: string, entries: Iterable<readonly [unknown, Row]>): void {
    const index = { exact: new Map<string, Row[]>(), folded: new Map<string, Row[]>() };
    for (const [value, item] of entries) {
      if (typeof value !== 'string' || value === '') continue;
      const { exact, folded } = this.#formsOf(field, value);
      index.exact.set(exact, [...(index.exact.get(exact) ?? []), item]);
      index.folded.set(folded, [...(index.folded.get(folded) ?? []), item]);
    }
    this.#byField.set(field, index);
  }

  #formsOf(field: string, value: string) {
    const definition = this.#target.fields[field];
    return { exact: normalizeKey(definition, value), folded: foldKey(definition, value) };
  }

  #findBy(field: string, value: string): ItemMatch | undefined {
    const index = this.#byField.get(field);
    const { exact, folded } = this.#formsOf(field, value);
    const exactItems = index?.exact.get(exact) ?? [];
    const items = exactItems.length > 0 ? exactItems : (index?.folded.get(folded) ?? []);
    const [item, ...others] = items;
    if (!item) return undefined;
    const candidates = formatCandidates(this.#target, items);
    if (others.length > 0)
      return {
        problem: `its ${this.#label(field)} belongs to several items: ${candidates}`,
        isUnknown: false,
      };
    return { item, by: field, isFolded: exactItems.length === 0 };
  }

  #label(field: string): string {
    return field === this.#codeField ? 'code' : (this.#target.fields[field]?.traits.label ?? field);
  }
}
