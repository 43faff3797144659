/** Shows what a price list changes: old and new prices, likely mistakes, and the effect on the cost of recipes. */

import { maxShownItems, truncateItems } from '../../base/shown-items.ts';
import type { ItemPrice, PriceComparison } from '../../bulk/prices/plan-prices.ts';
import type { PriceListFormat } from '../../bulk/prices/price-rows.ts';
import { apiOf } from '../../contract/api.ts';
import type { Resource } from '../../contract/resource.ts';
import { LintAccount } from '../../lint/account.ts';
import { recipeCost } from '../../lint/recipe.ts';
import type { Result } from '../../output/result.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { formatPercent, percentChange } from '../../runs/limits.ts';
import { recordTitle } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';
import { formatSentences, formatTable } from '../pictures/picture.ts';

/** A price that is this many times the old one, or this part of it, is probably mistyped, or for another pack. */
const suspectRatio = 5;

/** The states of lines, in the order of the summary. */
const states = ['up', 'down', 'equal', 'new', 'not_in_list', 'left_out'] as const;
type State = (typeof states)[number];

/** Returns what a price list changes in sentences, and as a result. Call it before the run, which closes the ledger. */
export function showPrices(
  comparison: PriceComparison,
  ledger: Ledger,
  format: PriceListFormat,
): { sentences: readonly string[]; result: Result } {
  const lines = priceLines(comparison, ledger, format.target);
  const sentences = [...describeLines(lines), ...describeRecipes(comparison, format)];
  const columns = ['item', 'old', 'new', 'change'].map((name) => ({ name, label: name }));
  const changed = lines
    .filter(({ state }) => ['up', 'down', 'new'].includes(state))
    .map((line) => ({ ...line, change: formatPercent(line.change_percent ?? undefined) }));
  const reasons = lines.flatMap(({ line, item, reason }) => {
    if (reason === null) return [];
    return [line === null ? reason : `line ${line}${item === null ? '' : ` (${item})`}: ${reason}`];
  });
  const result: Result = {
    kind: 'data',
    data: lines,
    rows: lines,
    idField: 'id',
    text: (display) => {
      const table = changed.length === 0 ? [] : [...formatTable(display, columns, changed), ''];
      const texts = formatSentences([...sentences, ...truncateItems(reasons)], display);
      return [...table, ...texts].map((line) => `${line}\n`).join('');
    },
  };
  return { sentences, result };
}

function priceLines({ prices, missing }: PriceComparison, ledger: Ledger, target: Resource): PriceLine[] {
  return [
    ...prices.map((price) => lineOf(target, stateOf(price), price)),
    ...ledger.rows('bad').map((row) => lineOf(target, 'left_out', { row }, row.error?.message)),
    ...missing.map((item) => lineOf(target, 'not_in_list', { item })),
  ];
}

type PriceLine = ReturnType<typeof lineOf>;

/** Returns a row for programs and tables. */
function lineOf(target: Resource, state: State, price: Partial<ItemPrice>, reason: string | null = null) {
  const { item, row, by = null, oldCost = null, newCost = null } = price;
  const percent = percentChange(oldCost, newCost);
  return {
    line: row?.line ?? null,
    id: item?.id ?? null,
    item: item ? recordTitle(target, item) : (row?.key ?? null),
    state,
    matched_by: by,
    old: oldCost,
    new: newCost,
    change_percent: percent === undefined ? null : round(percent),
    reason,
  };
}

function stateOf({ oldCost, newCost }: ItemPrice): State {
  if (oldCost === undefined) return 'new';
  return newCost > oldCost ? 'up' : newCost < oldCost ? 'down' : 'equal';
}

/** Returns sentences with the number of lines in each state, and with prices that are probably mistakes. */
function describeLines(lines: readonly PriceLine[]): string[] {
  const counts = states.flatMap((state) => {
    const count = lines.filter((line) => line.state === state).length;
    return count === 0 ? [] : [`${count} ${state.replaceAll('_', ' ')}`];
  });
  const suspects = lines.flatMap(({ item, old, new: price }) => {
    const ratio = old === null || price === null || old <= 0 ? 1 : price / old;
    if (ratio < suspectRatio && ratio > 1 / suspectRatio) return [];
    const factor = ratio > 1 ? `×${round(ratio, 1)}` : `÷${round(1 / ratio, 1)}`;
    return [`${item}: ${old} → ${price} (${factor}). Mistyped, or another pack?`];
  });
  return [`${counts.join(', ')}.`, ...suspects];
}

/** Returns the recipes whose cost changes most, with their cost at the old and the new prices. */
function describeRecipes({ prices, items }: PriceComparison, { target, fields }: PriceListFormat): string[] {
  const byItem = new Map(prices.map((price) => [price.item.id, price]));
  const accountWith = (costOf: (price: ItemPrice) => number | undefined) => {
    const rows = items.map((item): Row => {
      const price = byItem.get(item.id);
      const cost = price && costOf(price);
      if (cost === undefined || !price?.factor) return item;
      return { ...item, [fields.itemCost]: cost / price.factor };
    });
    return new LintAccount(apiOf(target), '', new Map([[target.name, rows]]));
  };
  const [before, after] = [accountWith(({ oldCost }) => oldCost), accountWith(({ newCost }) => newCost)];
  const recipes = items.flatMap((item) => {
    const [from, to] = [recipeCost(item, before), recipeCost(item, after)];
    if (from === undefined || to === undefined || Math.abs(to - from) < 0.005) return [];
    const change = `${round(from)} → ${round(to)} (${formatPercent(percentChange(from, to))})`;
    return [{ size: Math.abs(to - from), text: `  ${recordTitle(target, item)}: ${change}` }];
  });
  recipes.sort((a, b) => b.size - a.size);
  const texts = recipes.slice(0, maxShownItems).map(({ text }) => text);
  return texts.length === 0 ? [] : ['Cost of the recipes that change most:', ...texts];
}

function round(number: number, decimals = 2): number {
  return Number(number.toFixed(decimals));
}
