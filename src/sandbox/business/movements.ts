/** Performs inventory transactions that have no API endpoint. Rehearsals use them to test the events that they cause. */
import { usage } from '../../base/errors.ts';
import type { NotificationType } from '../../resources/notification-types.ts';
import type { Context } from '../context.ts';
import type { StoredRow } from '../store/cells.ts';
import { isActive } from '../validation/stored.ts';
import { notify } from './events.ts';
import { addQuantity, roundDecimals } from './stock.ts';

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
