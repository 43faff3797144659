/** Recipes: the cost of an item or option from its ingredients, and recipes that contain themselves. */

import { linksIn, pivotOf } from '../../account/session/record-body.ts';
import type { Row } from '../../account/session/row.ts';
import { toNumber } from '../../base/number-text.ts';
import { idsIn, type LintAccount } from './account.ts';

/** The number of the costing method "from ingredients". */
export const fromIngredients = 2;

/** The fields of inventory items that costs of recipes are computed from. */
export const recipeFields = ['costing_method', 'cost', 'storage_to_ingredient_factor', 'ingredients'];

/** Returns the total cost of the ingredients of an item or option; undefined if any of their costs is unknown. */
export function recipeCost(
  row: Row,
  account: LintAccount,
  parents: ReadonlySet<string> = new Set(),
): number | undefined {
  const ingredients = linksIn(row, 'ingredients');
  if (!ingredients || ingredients.length === 0) return undefined;
  let sum = 0;
  for (const link of ingredients) {
    const item = account.find('inventory_items', link.id);
    const quantity = toNumber(pivotOf(link).quantity);
    const factor = toNumber(item?.storage_to_ingredient_factor);
    const cost = item && storageCost(item, account, parents);
    if (quantity === undefined || factor === undefined || factor <= 0 || cost === undefined) return undefined;
    sum += (quantity / factor) * cost;
  }
  return sum;
}

function storageCost(item: Row, account: LintAccount, parents: ReadonlySet<string>): number | undefined {
  const id = String(item.id);
  if (Number(item.costing_method) !== fromIngredients) return toNumber(item.cost);
  return parents.has(id) ? undefined : recipeCost(item, account, new Set([...parents, id]));
}

/** Returns each cycle of ingredients once, as item IDs: each item is an ingredient of the item before it. */
export function recipeCycles(account: LintAccount): string[][] {
  const finished = new Set<string>();
  const cycles: string[][] = [];
  const visit = (id: string, parents: readonly string[]) => {
    if (parents.includes(id)) cycles.push(parents.slice(parents.indexOf(id)));
    else if (!finished.has(id)) {
      const item = account.find('inventory_items', id);
      for (const next of idsIn(item?.ingredients)) visit(next, [...parents, id]);
      finished.add(id);
    }
  };
  for (const { id } of account.rows('inventory_items')) visit(String(id), []);
  return cycles;
}

/** Returns the IDs of all items that are an ingredient of another item or of an option of a modifier. */
export function usedIngredients(account: LintAccount): ReadonlySet<string> {
  return account.memoize('used ingredients', () => {
    const options = account.rows('modifiers').flatMap((row) => linksIn(row, 'options') ?? []);
    const recipes = [...account.rows('inventory_items'), ...options];
    return new Set(recipes.flatMap(({ ingredients }) => idsIn(ingredients)));
  });
}
