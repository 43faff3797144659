/** How much of each item is where: kept behind the API, in storage units, for branches and warehouses alike. */
import type { Database } from '../../storage/database.ts';
import type { Context } from '../context.ts';
import { notify, type Subject } from './events.ts';

export function quantityAt(database: Database, placeId: string, itemId: string): number {
  const row = database.get(
    'SELECT quantity FROM sandbox_stock WHERE place_id = ? AND item_id = ?',
    placeId,
    itemId,
  );
  return Number(row?.quantity ?? 0);
}

/** Tells those who asked when a level of the item is crossed at a branch. In storage units. */
export function setQuantity(
  context: Context,
  placeId: string,
  itemId: string,
  quantity: number,
  subject: Subject,
): void {
  const before = quantityAt(context.database, placeId, itemId);
  const after = rounded(quantity);
  context.database.run(
    `INSERT INTO sandbox_stock (place_id, item_id, quantity) VALUES (?, ?, ?)
     ON CONFLICT (place_id, item_id) DO UPDATE SET quantity = excluded.quantity`,
    placeId,
    itemId,
    after,
  );
  notifyOfLevels(context, placeId, itemId, before, after, subject);
}

export function addQuantity(
  context: Context,
  placeId: string,
  itemId: string,
  quantity: number,
  subject: Subject,
): void {
  setQuantity(context, placeId, itemId, quantityAt(context.database, placeId, itemId) + quantity, subject);
}

/** What one storage unit costs: as given, or from the ingredients where the item says so. */
export function costOf(database: Database, itemId: string): number {
  const item = database.get('SELECT cost, costing_method FROM inventory_items WHERE id = ?', itemId);
  if (item?.costing_method !== fromIngredients) return Number(item?.cost ?? 0);
  const ingredients = database.all(
    `SELECT l.to_id, l.quantity, l.yield_percentage, i.storage_to_ingredient_factor AS factor
     FROM inventory_items_ingredients l JOIN inventory_items i ON i.id = l.to_id WHERE l.from_id = ?`,
    itemId,
  );
  const costs = ingredients.map(({ to_id, quantity, yield_percentage, factor }) => {
    const used = Number(quantity ?? 0) / (Number(yield_percentage ?? 100) / 100 || 1);
    return (used / (Number(factor) || 1)) * costOf(database, String(to_id));
  });
  return rounded(costs.reduce((sum, cost) => sum + cost, 0));
}

/** Sums of decimal fractions drift in the last places. */
export function rounded(number: number): number {
  return Math.round(number * 1e6) / 1e6;
}

const fromIngredients = 2;

/** Only the crossing is told, not every movement beyond it. A maximum of 0 is none. */
function notifyOfLevels(
  context: Context,
  placeId: string,
  itemId: string,
  before: number,
  after: number,
  subject: Subject,
): void {
  const { minimum, maximum } = levelsOf(context.database, placeId, itemId);
  const tell = (type: Parameters<typeof notify>[1]) => notify(context, type, placeId, subject);
  if (after < 0 && before >= 0) tell('inventory_item_quantity_below_zero');
  if (after < minimum && before >= minimum) tell('inventory_item_quantity_below_minimum_level');
  if (maximum > 0 && after > maximum && before <= maximum) {
    tell('inventory_item_quantity_above_maximum_level');
  }
}

/** A branch's own levels go before those of the item. */
function levelsOf(
  database: Database,
  branchId: string,
  itemId: string,
): { minimum: number; maximum: number } {
  const row = database.get(
    `SELECT ifnull(l.minimum_level, i.minimum_level) AS minimum, ifnull(l.maximum_level, i.maximum_level) AS maximum
     FROM inventory_items i LEFT JOIN inventory_items_branches l ON l.from_id = i.id AND l.to_id = ?
     WHERE i.id = ?`,
    branchId,
    itemId,
  );
  return { minimum: Number(row?.minimum ?? 0), maximum: Number(row?.maximum ?? 0) };
}
