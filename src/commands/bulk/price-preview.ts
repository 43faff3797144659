/** Shows what a price list changes: old and new prices, likely mistakes, and the effect on the cost of recipes. */

import { maxShownItems } from '../../base/shown-items.ts';
import type { PriceComparison } from '../../bulk/prices/plan-prices.ts';
import type { PriceListFormat } from '../../bulk/prices/price-rows.ts';
import type { Context } from '../../context/context.ts';
import { LintAccount } from '../../lint/account.ts';
import { recipeCost } from '../../lint/recipe.ts';
import type { Result } from '../../output/result.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { recordTitle } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';
import { formatSentences, formatTable } from '../pictures/picture.ts';

/** A price list to show. */
export interface PricePreview {
  comparison: PriceComparison;
  ledger: Ledger;
  format: PriceListFormat;
  context: Context;
}

/** A price that is this many times the old one, or this part of it, is probably mistyped, or for another pack. */
const suspectRatio = 5;

/** A row for programs and tables. */
interface PriceLine {
  line: number | null;
  id: unknown;
  item: string | null;
  state: 'up' | 'down' | 'equal' | 'new' | 'left_out' | 'not_in_list';
  matched_by: string | null;
  old: number | null;
  new: number | null;
  change_percent: number | null;
  reason: string | null;
}

/** A price list as rows, and in sentences. */
export interface ShownPrices {
  lines: readonly PriceLine[];
  sentences: readonly string[];
}

/** Returns what a price list changes. Call it before the run, which closes the ledger. */
export function showPrices(preview: PricePreview): ShownPrices {
  const lines = priceLines(preview);
  return { lines, sentences: describePrices(lines, preview) };
}

/** Returns the rows as a result, with the changed prices and the sentences as its text. */
export function pricesResult({ lines, sentences }: ShownPrices): Result {
  const shown = lines.filter(({ state }) => state === 'up' || state === 'down' || state === 'new');
  const columns = ['item', 'old', 'new', 'change'].map((name) => ({ name, label: name }));
  return {
    kind: 'data',
    data: lines,
    rows: lines,
    idField: 'id',
    text: (display) => {
      const rows = shown.map((line) => ({ ...line, change: formatPercent(line.change_percent) }));
      const table = rows.length === 0 ? [] : [...formatTable(display, columns, rows), ''];
      return [...table, ...formatSentences(sentences, display)].map((line) => `${line}\n`).join('');
    },
  };
}

/** Returns the preview in sentences: counts, likely mistakes, and the recipes whose cost changes most. */
function describePrices(lines: readonly PriceLine[], preview: PricePreview): string[] {
  const counts = Map.groupBy(lines, ({ state }) => state);
  const texts = {
    up: 'up',
    down: 'down',
    equal: 'equal',
    new: 'new',
    not_in_list: 'not in the list',
    left_out: 'left out',
  };
  const parts = Object.entries(texts).flatMap(([state, text]) => {
    const count = counts.get(state as PriceLine['state'])?.length ?? 0;
    return count === 0 ? [] : [`${count} ${text}`];
  });
  const suspects = lines.flatMap(({ item, old, new: price }) => {
    const ratio = old === null || price === null || old <= 0 ? 1 : price / old;
    if (ratio < suspectRatio && ratio > 1 / suspectRatio) return [];
    return [
      `${item}: ${old} → ${price} (${ratio > 1 ? `×${round(ratio, 1)}` : `÷${round(1 / ratio, 1)}`}). Mistyped, or another pack?`,
    ];
  });
  const recipes = recipeChanges(preview).map(
    ({ name, before, after }) =>
      `  ${name}: ${round(before)} → ${round(after)} (${formatPercent(percentOf(before, after))})`,
  );
  return [
    `${parts.join(', ')}.`,
    ...suspects,
    ...(recipes.length === 0 ? [] : ['Cost of the recipes that change most:', ...recipes]),
  ];
}

function priceLines({ comparison, ledger, format: { target } }: PricePreview): PriceLine[] {
  const empty = { line: null, matched_by: null, old: null, new: null, change_percent: null, reason: null };
  const priced = comparison.prices.map(({ line, item, by, oldCost, newCost, isNew }): PriceLine => {
    const change = oldCost === undefined ? 0 : newCost - oldCost;
    const state = isNew || oldCost === undefined ? 'new' : change > 0 ? 'up' : change < 0 ? 'down' : 'equal';
    const percent = oldCost === undefined ? null : percentOf(oldCost, newCost);
    const values = { old: oldCost ?? null, new: newCost, change_percent: percent };
    return { ...empty, line, id: item.id, item: recordTitle(target, item), state, matched_by: by, ...values };
  });
  const leftOut = [...ledger.rows('bad')].map(
    ({ line, key, error }): PriceLine => ({
      ...empty,
      line,
      id: null,
      item: key,
      state: 'left_out',
      reason: error?.message ?? null,
    }),
  );
  const missing = comparison.missing.map(
    (item): PriceLine => ({ ...empty, id: item.id, item: recordTitle(target, item), state: 'not_in_list' }),
  );
  return [...priced, ...leftOut, ...missing];
}

/** Returns the recipes whose cost changes most, with their cost at the old and the new prices. */
function recipeChanges({ comparison, format: { target, fields }, context }: PricePreview) {
  const { prices, items } = comparison;
  const costs = new Map(prices.map((price) => [price.item.id, price]));
  const accountWith = (costOf: (price: (typeof prices)[number]) => number | undefined) => {
    const rows = items.map((item): Row => {
      const price = costs.get(item.id);
      const cost = price && costOf(price);
      return price?.factor === undefined || cost === undefined
        ? item
        : { ...item, [fields.itemCost]: cost / price.factor };
    });
    return new LintAccount(context.api, '', new Map([[target.name, rows]]));
  };
  const [before, after] = [accountWith(({ oldCost }) => oldCost), accountWith(({ newCost }) => newCost)];
  return items
    .flatMap((item) => {
      const [oldCost, newCost] = [recipeCost(item, before), recipeCost(item, after)];
      if (oldCost === undefined || newCost === undefined || Math.abs(newCost - oldCost) < 0.005) return [];
      return [{ name: recordTitle(target, item), before: oldCost, after: newCost }];
    })
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before))
    .slice(0, maxShownItems);
}

function percentOf(before: number, after: number): number | null {
  return before === 0 ? null : round((after / before - 1) * 100);
}

function formatPercent(percent: number | null): string {
  return percent === null ? '' : `${percent > 0 ? '+' : ''}${round(percent, 1)}%`;
}

function round(number: number, decimals = 2): number {
  return Number(number.toFixed(decimals));
}
