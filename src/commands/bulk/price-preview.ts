/** Shows what a price list changes: old and new prices, likely mistakes, and the effect on the cost of recipes. */

import { maxShownItems, truncateItems } from '../../base/shown-items.ts';
import type { ItemPrice, PriceComparison } from '../../bulk/prices/plan-prices.ts';
import type { PriceListFormat } from '../../bulk/prices/price-rows.ts';
import type { Context } from '../../context/context.ts';
import { LintAccount } from '../../lint/account.ts';
import { recipeCost } from '../../lint/recipe.ts';
import type { Result } from '../../output/result.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { formatPercent, percentChange } from '../../runs/limits.ts';
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

/** The states of lines, in the order of the summary. */
const states = ['up', 'down', 'equal', 'new', 'not_in_list', 'left_out'] as const;

/** A row for programs and tables. */
interface PriceLine {
  line: number | null;
  id: unknown;
  item: string | null;
  state: (typeof states)[number];
  matched_by: string | null;
  old: number | null;
  new: number | null;
  change_percent: number | null;
  reason: string | null;
}

/** Returns what a price list changes in sentences, and as a result. Call it before the run, which closes the ledger. */
export function showPrices(preview: PricePreview): { sentences: readonly string[]; result: Result } {
  const lines = priceLines(preview);
  const sentences = [...describeLines(lines), ...describeRecipes(preview)];
  const columns = ['item', 'old', 'new', 'change'].map((name) => ({ name, label: name }));
  const changed = lines
    .filter(({ state }) => state === 'up' || state === 'down' || state === 'new')
    .map((line) => ({ ...line, change: formatPercent(line.change_percent ?? undefined) }));
  const reasons = lines.flatMap(({ line, reason }) => (reason === null ? [] : [`line ${line}: ${reason}`]));
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

function priceLines({ comparison, ledger, format: { target } }: PricePreview): PriceLine[] {
  const lineOf = (values: Partial<PriceLine> & Pick<PriceLine, 'state'>, item?: Row): PriceLine => ({
    ...{
      line: null,
      id: item?.id ?? null,
      item: item ? recordTitle(target, item) : null,
      state: values.state,
    },
    ...{ matched_by: null, old: null, new: null, change_percent: null, reason: null, ...values },
  });
  return [
    ...comparison.prices.map(({ row: { line }, item, by, oldCost, newCost }) => {
      const values = { line, matched_by: by, old: oldCost ?? null, new: newCost };
      if (oldCost === undefined) return lineOf({ ...values, state: 'new' }, item);
      const state = newCost > oldCost ? 'up' : newCost < oldCost ? 'down' : 'equal';
      const percent = percentChange(oldCost, newCost);
      return lineOf(
        { ...values, state, change_percent: percent === undefined ? null : round(percent) },
        item,
      );
    }),
    ...ledger.rows('bad').map(({ line, key, error }) => {
      return lineOf({ line, item: key, state: 'left_out', reason: error?.message ?? null });
    }),
    ...comparison.missing.map((item) => lineOf({ state: 'not_in_list' }, item)),
  ];
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
function describeRecipes({
  comparison,
  format: { target, fields },
  context: { api },
}: PricePreview): string[] {
  const prices = new Map(comparison.prices.map((price) => [price.item.id, price]));
  const accountWith = (costOf: (price: ItemPrice) => number | undefined) => {
    const items = comparison.items.map((item): Row => {
      const price = prices.get(item.id);
      const cost = price && costOf(price);
      return cost === undefined || !price?.factor
        ? item
        : { ...item, [fields.itemCost]: cost / price.factor };
    });
    return new LintAccount(api, '', new Map([[target.name, items]]));
  };
  const [before, after] = [accountWith(({ oldCost }) => oldCost), accountWith(({ newCost }) => newCost)];
  const recipes = comparison.items.flatMap((item) => {
    const [from, to] = [recipeCost(item, before), recipeCost(item, after)];
    if (from === undefined || to === undefined || Math.abs(to - from) < 0.005) return [];
    const change = `${round(from)} → ${round(to)} (${formatPercent(percentChange(from, to))})`;
    return [{ size: Math.abs(to - from), text: `  ${recordTitle(target, item)}: ${change}` }];
  });
  const shown = recipes.sort((a, b) => b.size - a.size).slice(0, maxShownItems);
  return shown.length === 0
    ? []
    : ['Cost of the recipes that change most:', ...shown.map(({ text }) => text)];
}

function round(number: number, decimals = 2): number {
  return Number(number.toFixed(decimals));
}
