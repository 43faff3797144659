/** Rules for inventory items: levels, units, recipes, costs, and items that are never bought or counted. */

import { linksIn, pivotOf } from '../../../account/session/record-body.ts';
import type { Row } from '../../../account/session/row.ts';
import { exceedsLimit, toNumber } from '../../../base/number-text.ts';
import { findUnit } from '../../../base/units.ts';
import { idsIn, isEmpty, nameOfRecord } from '../account.ts';
import { recipeCycles, usedIngredients } from '../recipe.ts';
import { type Issue, issue, type Rule } from '../rule.ts';

const units = { storage_unit: 'kg', ingredient_unit: 'g', storage_to_ingredient_factor: 1000 };
const fixedCost = { costing_method: 1, ingredients: [] };

/** A milliliter of food weighs from 0.1 to 3 grams. */
const gramsPerMilliliter = [0.1, 3] as const;

export const inventoryItemRules: readonly Rule[] = [
  {
    name: 'item-levels-disordered',
    severity: 'error',
    summary: 'Stock levels that are not in the order minimum, par, maximum',
    reason: 'An order up to par immediately leaves the stock below the minimum or above the maximum.',
    checks: { inventory_items: ['minimum_level', 'par_level', 'maximum_level', 'branches'] },
    checkRecord(row) {
      const itemDisorder = describeDisorder(row);
      const inBranches = (linksIn(row, 'branches') ?? []).flatMap((branch): Issue[] => {
        const [text, id] = [describeDisorder(pivotOf(branch)), String(branch.id)];
        const fix = ['link-branch', id, '--par-level', 'N'];
        return text ? [{ message: `In the branch ${branch.name ?? id}, the ${text}.`, part: id, fix }] : [];
      });
      return [
        ...(itemDisorder ? [issue(`The ${itemDisorder}.`, 'update', '--par-level', 'N')] : []),
        ...inBranches,
      ];
    },
    bad: [{ name: 'Tomatoes', minimum_level: '2', par_level: '30', maximum_level: '12', branches: [] }],
    good: { par_level: '6' },
  },
  {
    name: 'item-factor-missing',
    severity: 'error',
    summary: 'Inventory items without a storage-to-ingredient factor',
    reason: "Without the factor, sales don't reduce the stock, and recipe costs can't be computed.",
    checks: { inventory_items: ['storage_to_ingredient_factor'] },
    checkRecord({ storage_to_ingredient_factor: factor }) {
      if (factor === undefined || (toNumber(factor) ?? 0) > 0) return undefined;
      return issue(`The factor is ${factor ?? 'empty'}.`, 'update', '--storage-to-ingredient-factor', 'N');
    },
    bad: [{ name: 'Tomatoes', ...units, storage_to_ingredient_factor: 0 }],
    good: { storage_to_ingredient_factor: 1000 },
  },
  {
    name: 'item-factor-implausible',
    severity: 'error',
    summary: 'Inventory items whose factor contradicts their units',
    reason: 'If a kilogram has 100 grams, each recipe is ten times as expensive.',
    checks: { inventory_items: ['storage_unit', 'ingredient_unit', 'storage_to_ingredient_factor'] },
    checkRecord({
      storage_unit: storageUnit,
      ingredient_unit: ingredientUnit,
      storage_to_ingredient_factor,
    }) {
      const [factor, plausible] = [
        toNumber(storage_to_ingredient_factor),
        plausibleFactorRange(storageUnit, ingredientUnit),
      ];
      if (factor === undefined || factor <= 0 || !plausible) return undefined;
      const [min, max] = plausible;
      if (factor >= min && factor <= max) return undefined;
      const message = `1 ${storageUnit} can't be ${factor} ${ingredientUnit}.`;
      return issue(message, 'update', '--storage-to-ingredient-factor', 'N');
    },
    bad: [{ name: 'Tomatoes', ...units, storage_to_ingredient_factor: 100 }],
    good: { storage_to_ingredient_factor: 1000 },
  },
  {
    name: 'item-ingredient-circle',
    severity: 'error',
    summary: 'Inventory items that are an ingredient of themselves, directly or through other items',
    reason: "The cost of the item can't be computed, and neither can the ingredients needed to produce it.",
    checks: { inventory_items: ['name', 'sku', 'ingredients'] },
    *checkAll({ resource, account }) {
      for (const cycle of recipeCycles(account)) {
        // The last item closes the cycle.
        const ids = [...cycle.slice(-1), ...cycle];
        const row = account.find(resource.name, ids[0]);
        const path = ids.map((id) => nameOfRecord(account, resource.name, id)).join(' > ');
        if (row)
          yield [row, issue(`The item contains itself: ${path}.`, 'unlink-ingredient', String(ids[1]))];
      }
    },
    bad: [
      { id: 'stock', name: 'Chicken Stock', ingredients: [{ id: 'soup' }] },
      { id: 'soup', name: 'Chicken Soup', ingredients: [{ id: 'stock' }] },
    ],
    good: { ingredients: [] },
  },
  {
    name: 'item-cost-missing',
    severity: 'warning',
    summary: 'Ingredients in use that have no cost',
    reason: 'Dishes that use them look more profitable than they are.',
    checks: { inventory_items: ['costing_method', 'cost', 'ingredients'] },
    needs: { modifiers: ['options'] },
    checkRecord(row, { account }) {
      const isMissing = row.cost !== undefined && (toNumber(row.cost) ?? 0) === 0;
      if (Number(row.costing_method) !== 1 || !isMissing || !usedIngredients(account).has(String(row.id)))
        return undefined;
      return issue('The item is used in recipes and has no cost.', 'update', '--cost', 'COST');
    },
    bad: {
      inventory_items: [{ id: 'tahini', name: 'Tahini', ...fixedCost, cost: 0 }],
      modifiers: [{ name: 'Sauce', options: [{ name: 'Tahini', ingredients: [{ id: 'tahini' }] }] }],
    },
    good: { cost: 22 },
  },
  {
    name: 'item-without-supplier',
    severity: 'warning',
    summary: 'Inventory items that no supplier sells and that are not produced',
    reason: "They can't be ordered when they run out.",
    checks: { inventory_items: ['ingredients'] },
    needsWholeLists: true,
    needs: { suppliers: ['items'] },
    checkRecord(row, { account }) {
      const suppliedItems = account.memoize(
        'items of suppliers',
        () => new Set(account.rows('suppliers').flatMap(({ items }) => idsIn(items))),
      );
      const isProduced = !isEmpty(row.ingredients);
      return isProduced || suppliedItems.has(String(row.id))
        ? undefined
        : issue('No supplier sells the item.', 'get');
    },
    bad: {
      inventory_items: [{ name: 'Tomatoes', ingredients: [] }],
      suppliers: [{ items: [{ id: 'tomatoes' }] }],
    },
    good: { id: 'tomatoes' },
  },
  {
    name: 'item-never-counted',
    severity: 'info',
    summary: 'Inventory items that were never in a closed stock count',
    reason:
      'Their stock level was computed by the service and never confirmed by a count. An account without such counts has no findings.',
    checks: { inventory_items: ['created_at'] },
    needsWholeLists: true,
    needs: { inventory_counts: ['status', 'items'] },
    checkRecord(row, { account }) {
      const countedItems = account.memoize('counted items', () => {
        const counts = account.rows('inventory_counts').filter(({ status }) => Number(status) === 2);
        return new Set(counts.flatMap(({ items }) => idsIn(items)));
      });
      return countedItems.size === 0 || countedItems.has(String(row.id))
        ? undefined
        : issue('The item was never counted.', 'get');
    },
    bad: {
      inventory_items: [{ name: 'Saffron' }],
      inventory_counts: [{ status: 2, items: [{ id: 'tomatoes' }] }],
    },
    good: { id: 'tomatoes' },
  },
];

/** Describes levels in the wrong order; undefined if there are none. Empty or zero par and maximum levels are ignored. */
function describeDisorder(row: Row): string | undefined {
  for (const pair of ['minimum par', 'par maximum', 'minimum maximum']) {
    const [lower, upper] = pair.split(' ');
    const [low, high] = [row[`${lower}_level`], row[`${upper}_level`]];
    if (exceedsLimit(low, high)) return `${lower} level ${low} is above the ${upper} level ${high}`;
  }
  return undefined;
}

/** Returns the plausible range of `small` units in one `large` unit; undefined for units without a size (boxes). */
function plausibleFactorRange(large: unknown, small: unknown): readonly [number, number] | undefined {
  const [largeUnit, smallUnit] = [large, small].map((name) => findUnit(String(name)));
  if (!largeUnit || !smallUnit) return undefined;
  const ratio = largeUnit.size / smallUnit.size;
  if (largeUnit.measures === smallUnit.measures) return [ratio * 0.99, ratio * 1.01];
  const [min, max] = gramsPerMilliliter;
  if (largeUnit.measures === 'volume' && smallUnit.measures === 'mass') return [ratio * min, ratio * max];
  return largeUnit.measures === 'mass' && smallUnit.measures === 'volume'
    ? [ratio / max, ratio / min]
    : undefined;
}
