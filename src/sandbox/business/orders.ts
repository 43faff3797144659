/** Creates orders and returns. In a real account, cashiers and apps create them: the API can't. */
import { usage } from '../../base/errors.ts';
import type { Database } from '../../storage/database.ts';
import { formatTimestamp, isSupportedTime } from '../calendar.ts';
import type { Context } from '../context.ts';
import { findRow, insertRow, updateRow } from '../store/rows.ts';
import { deductReturn, earnLoyalty } from './loyalty.ts';
import { roundDecimals } from './stock.ts';

/** An order to place. */
export interface NewOrder {
  /** The customer's ID. */
  customer: string;
  /** The final price, in the business's currency. */
  total: number;
  /** When it was placed and uploaded, in milliseconds since 1970; now by default. */
  at?: number;
}

/** A placed order, with its loyalty transaction if it earned points. */
export interface PlacedOrder {
  id: string;
  loyaltyTransactionId: string | undefined;
}

/** Places an order. Throws a usage failure if it is invalid. */
export function placeOrder(context: Context, { customer: customerId, total, at }: NewOrder): PlacedOrder {
  const { database } = context;
  const customers = context.tables.get('customers');
  if (!isAmount(total))
    throw usage(`An order can't have the total ${total}.`, { hint: 'Enter a number of at least 0.' });
  const placedAtMs = at ?? context.now;
  if (!isSupportedTime(placedAtMs))
    throw usage('An order can be placed from the year 2000 to the year 2099.');
  return database.write(() => {
    const customer = findRow(database, customers, customerId);
    if (!customer || customer.deleted_at !== null) {
      throw usage(`The sandbox has no customer ${customerId}.`);
    }
    const id = context.newId('orders');
    insertRow(database, context.tables.get('orders'), {
      id,
      name: `Order of ${formatTimestamp(placedAtMs)}`,
      customer_id: customerId,
      total,
      placed_at: formatTimestamp(placedAtMs),
    });
    completeOrders(database);
    const lastOrderAt = String(customer.last_order_at ?? '');
    updateRow(database, customers, customerId, {
      order_count: Number(customer.order_count ?? 0) + 1,
      last_order_at: [lastOrderAt, formatTimestamp(placedAtMs)].sort().at(-1) ?? null,
      updated_at: formatTimestamp(context.now),
    });
    return { id, loyaltyTransactionId: earnLoyalty(context, customer, id, total, placedAtMs) };
  });
}

/**
 * Records the return of an amount of an order and returns its ID. Throws a usage failure if the amount is larger than
 * what hasn't been returned yet.
 */
export function returnOrder(context: Context, orderId: string, amount: number): string {
  const { database } = context;
  if (!isAmount(amount) || amount === 0) {
    throw usage(`A return can't have the amount ${amount}.`, { hint: 'Enter a number greater than 0.' });
  }
  return database.write(() => {
    const order = findRow(database, context.tables.get('orders'), orderId);
    if (!order) throw usage(`The sandbox has no order ${orderId}.`);
    const sumRow = database.get(
      'SELECT sum(amount) AS returned FROM order_returns WHERE order_id = ?',
      orderId,
    );
    const remainingAmount = roundDecimals(Number(order.total) - Number(sumRow?.returned ?? 0));
    if (amount > remainingAmount)
      throw usage(`At most ${remainingAmount} of the order ${orderId} can be returned.`);
    const id = context.newId('order_returns');
    insertRow(database, context.tables.get('order_returns'), {
      id,
      name: `Return of ${formatTimestamp(context.now)}`,
      order_id: orderId,
      amount,
      returned_at: formatTimestamp(context.now),
    });
    if (hasOrderFields(database)) {
      const sql = 'UPDATE orders SET status = ?, updated_at = ? WHERE id = ?';
      database.run(sql, returnedStatus, formatTimestamp(context.now), orderId);
    }
    deductReturn(context, order, id, amount);
    return id;
  });
}

const [closedStatus, returnedStatus] = [4, 5];

/**
 * Sets the fields that orders have in some deployments, in orders without them: orders that were placed while the file
 * belonged to the API document.
 */
export function completeOrders(database: Database): void {
  if (!hasOrderFields(database)) return;
  database.run(
    `UPDATE orders SET reference = seq, number = CAST(seq % 100 + 1 AS TEXT), status = ?, total_price = total,
       business_date = substr(placed_at, 1, 10), created_at = placed_at, updated_at = placed_at,
       branch_id = (SELECT id FROM branches ORDER BY seq LIMIT 1)
     WHERE reference IS NULL`,
    closedStatus,
  );
}

function hasOrderFields(database: Database): boolean {
  return database.get("SELECT 1 FROM pragma_table_info('orders') WHERE name = 'reference'") !== undefined;
}

function isAmount(amount: number): boolean {
  return Number.isFinite(amount) && amount >= 0 && amount <= Number.MAX_SAFE_INTEGER;
}
