/** Reads and changes the stock of items at branches and warehouses, in storage units. The API doesn't return it. */

import type { NotificationType } from '../../api/resources/notification-types.ts';
import { usage } from '../../base/errors.ts';
import type { Database, StoredRow } from '../../base/storage/database.ts';
import type { Context } from '../context.ts';
import { isActive } from '../validation/stored.ts';
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

/** The effect of each kind on the stock of a branch, and its event. */
export const movementRules = {
  purchasing: { sign: 1, event: 'new_purchasing_inventory_transaction', isOrdered: true },
  production: { sign: 1, event: 'new_production_inventory_transaction' },
  quantity_adjustment: { sign: 1, event: 'new_quantity_adjustment_inventory_transaction' },
  return_to_supplier: { sign: -1, event: 'new_return_to_supplier_inventory_transaction' },
  purchase_order: { sign: 0, event: 'new_pending_purchase_order', isOrdered: true },
} satisfies Record<string, MovementRule>;

interface MovementRule {
  sign: number;
  event: NotificationType;
  /** Whether it is an order from a supplier, for which the supplier's minimum quantity applies. */
  isOrdered?: true;
}

export type MovementKind = keyof typeof movementRules;

export interface Movement {
  kind: MovementKind;
  branchId: string;
  itemId: string;
  /** The supplier of an order; any supplier of the item if omitted. */
  supplierId?: string | undefined;
  /** The quantity in storage units; only an adjustment may be negative. */
  quantity: number;
}

/** Moves stock and notifies subscribers. Throws a usage failure if the movement is invalid. */
export function moveStock(context: Context, movement: Movement): void {
  const { kind, branchId, itemId, quantity } = movement;
  const { database, tables } = context;
  if (!Object.hasOwn(movementRules, kind)) {
    throw usage(`${kind} isn't a kind of stock movement.`, {
      hint: `Use ${Object.keys(movementRules).join(', ')}.`,
    });
  }
  if (!Number.isFinite(quantity) || (quantity < 0 && kind !== 'quantity_adjustment')) {
    throw usage(`A ${kind.replaceAll('_', ' ')} can't have the quantity ${quantity}.`);
  }
  if (!isActive(database, tables.get('branches'), branchId))
    throw usage(`The sandbox has no branch ${branchId}.`);
  if (!isActive(database, tables.get('inventory_items'), itemId)) {
    throw usage(`The sandbox has no inventory item ${itemId}.`);
  }
  requireMinimumQuantity(context, movement);
  const subject = { resource: 'inventory_items', id: itemId };
  database.write(() => {
    const { sign, event } = movementRules[kind];
    if (kind === 'production') deductIngredients(context, branchId, itemId, quantity);
    if (sign !== 0) addQuantity(context, branchId, itemId, sign * quantity, subject);
    notify(context, event, branchId, subject);
  });
}

/**
 * Refuses a quantity below the minimum. API document, "Limits": a purchase order must have at least the supplier's
 * minimum quantity, in the order unit. An item without a supplier can be ordered in any quantity.
 */
function requireMinimumQuantity(
  { database }: Context,
  { kind, itemId, supplierId, quantity }: Movement,
): void {
  const rule: MovementRule = movementRules[kind];
  if (!rule.isOrdered) {
    if (supplierId !== undefined) throw usage(`A ${kind.replaceAll('_', ' ')} can't have a supplier.`);
    return;
  }
  const supplierItems = database.all(
    `SELECT s.id, s.name, l.minimum_order_quantity AS minimum, l.order_to_storage_factor AS factor, l.order_unit AS unit
     FROM suppliers_items l JOIN suppliers s ON s.id = l.from_id
     WHERE l.to_id = ? AND s.deleted_at IS NULL ORDER BY s.seq`,
    itemId,
  );
  const candidates =
    supplierId === undefined ? supplierItems : supplierItems.filter(({ id }) => id === supplierId);
  if (supplierId !== undefined && candidates.length === 0) {
    throw usage(`The supplier ${supplierId} doesn't supply the inventory item ${itemId}.`);
  }
  const orderQuantity = ({ factor }: StoredRow) => roundDecimals(quantity / (Number(factor) || 1));
  if (candidates.length === 0) return;
  if (candidates.some((offer) => orderQuantity(offer) >= Number(offer.minimum ?? 0))) return;
  const minimums = candidates.map(
    (offer) =>
      `${offer.name} ${offer.minimum} ${offer.unit}, which is ${roundDecimals(Number(offer.minimum) * Number(offer.factor))} storage units`,
  );
  throw usage(`${quantity} storage units are below the minimum order quantity: ${minimums.join('; ')}.`);
}

/** Deducts the ingredients of a product. Their quantities are in ingredient units, for one storage unit of the product. */
function deductIngredients(
  context: Context,
  branchId: string,
  itemId: string,
  producedQuantity: number,
): void {
  const ingredients = context.database.all(
    `SELECT l.to_id, l.quantity, i.storage_to_ingredient_factor AS factor
     FROM inventory_items_ingredients l JOIN inventory_items i ON i.id = l.to_id WHERE l.from_id = ?`,
    itemId,
  );
  for (const { to_id, quantity, factor } of ingredients) {
    const usedQuantity = (producedQuantity * Number(quantity ?? 0)) / (Number(factor) || 1);
    const subject = { resource: 'inventory_items', id: String(to_id) };
    addQuantity(context, branchId, String(to_id), -usedQuantity, subject);
  }
}
