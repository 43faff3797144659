/** Reads and changes the stock of items at branches and warehouses, in storage units. The API doesn't return it. */
import type { Database } from '../../storage/database.ts';
import type { Context } from '../context.ts';
import { type EventSubject, notify } from './events.ts';

/** Returns the stock of an item at a branch or warehouse, in storage units. */
export function quantityAt(database: Database, placeId: string, itemId: string): number {
  const row = database.get(
    'SELECT quantity FROM sandbox_stock WHERE place_id = ? AND item_id = ?',
    placeId,
    itemId,
  );
  return Number(row?.quantity ?? 0);
}

/**
 * Sets the stock of an item at a branch or warehouse, in storage units. Notifies subscribers if the stock crosses one
 * of the item's levels.
 */
export function setQuantity(
  context: Context,
  placeId: string,
  itemId: string,
  quantity: number,
  subject: EventSubject,
): void {
  const before = quantityAt(context.database, placeId, itemId);
  const after = roundDecimals(quantity);
  context.database.run(
    `INSERT INTO sandbox_stock (place_id, item_id, quantity) VALUES (?, ?, ?)
     ON CONFLICT (place_id, item_id) DO UPDATE SET quantity = excluded.quantity`,
    placeId,
    itemId,
    after,
  );
  notifyCrossedLevels(context, placeId, itemId, before, after, subject);
}

/** Adds a quantity, which can be negative, to the stock of an item at a branch or warehouse. */
export function addQuantity(
  context: Context,
  placeId: string,
  itemId: string,
  quantity: number,
  subject: EventSubject,
): void {
  setQuantity(context, placeId, itemId, quantityAt(context.database, placeId, itemId) + quantity, subject);
}

/** Returns the cost of one storage unit: by the costing method, the stored cost or the sum of the ingredients' costs. */
export function costOf(database: Database, itemId: string): number {
  const item = database.get('SELECT cost, costing_method FROM inventory_items WHERE id = ?', itemId);
  if (item?.costing_method !== costFromIngredients) return Number(item?.cost ?? 0);
  const ingredients = database.all(
    `SELECT l.to_id, l.quantity, l.yield_percentage, i.storage_to_ingredient_factor AS factor
     FROM inventory_items_ingredients l JOIN inventory_items i ON i.id = l.to_id WHERE l.from_id = ?`,
    itemId,
  );
  const costs = ingredients.map(({ to_id, quantity, yield_percentage, factor }) => {
    const usedQuantity = Number(quantity ?? 0) / (Number(yield_percentage ?? 100) / 100 || 1);
    return (usedQuantity / (Number(factor) || 1)) * costOf(database, String(to_id));
  });
  return roundDecimals(costs.reduce((sum, cost) => sum + cost, 0));
}

/** Rounds to six decimals, because sums of decimal fractions are inexact. */
export function roundDecimals(number: number): number {
  return Math.round(number * 1e6) / 1e6;
}

/** The costing method of items whose cost is the sum of their ingredients' costs. */
const costFromIngredients = 2;

/** Notifies when the stock crosses a level, not for each movement beyond it. A maximum of 0 means no maximum. */
function notifyCrossedLevels(
  context: Context,
  placeId: string,
  itemId: string,
  before: number,
  after: number,
  subject: EventSubject,
): void {
  const { minimum, maximum } = levelsOf(context.database, placeId, itemId);
  const notifySubscribers = (type: Parameters<typeof notify>[1]) => notify(context, type, placeId, subject);
  if (after < 0 && before >= 0) notifySubscribers('inventory_item_quantity_below_zero');
  if (after < minimum && before >= minimum) notifySubscribers('inventory_item_quantity_below_minimum_level');
  if (maximum > 0 && after > maximum && before <= maximum) {
    notifySubscribers('inventory_item_quantity_above_maximum_level');
  }
}

/** Returns the levels of an item at a branch; the item's own levels if the branch doesn't set them. */
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

/** The stock of one item at one branch or warehouse, in storage units. */
export interface StockLevel {
  /** The ID of a branch or a warehouse. */
  placeId: string;
  itemId: string;
  quantity: number;
}

/** Returns the stock of all items at all branches and warehouses. */
export function stockLevels({ database }: Pick<Context, 'database'>): StockLevel[] {
  const rows = database.all(
    'SELECT place_id, item_id, quantity FROM sandbox_stock ORDER BY place_id, item_id',
  );
  return rows.map(({ place_id: place, item_id: item, quantity }) => ({
    placeId: String(place),
    itemId: String(item),
    quantity: Number(quantity),
  }));
}

/** Sets the initial stock, without notifying anyone. */
export function setStockLevels({ database }: Pick<Context, 'database'>, levels: readonly StockLevel[]): void {
  database.write(() => {
    for (const { placeId, itemId, quantity } of levels) {
      database.run(
        `INSERT INTO sandbox_stock (place_id, item_id, quantity) VALUES (?, ?, ?)
         ON CONFLICT (place_id, item_id) DO UPDATE SET quantity = excluded.quantity`,
        placeId,
        itemId,
        quantity,
      );
    }
  });
}
