/** Creates orders and returns. In a real account, cashiers and apps create them: the API can't. */
import { usage } from '../../base/errors.ts';
import type { Database, StoredRow } from '../../base/storage/database.ts';
import { parseJsonCell } from '../../base/storage/json-cell.ts';
import { dayMs, formatDay, formatTimestamp, hourMs, isSupportedTime, parseTimestamp } from '../calendar.ts';
import type { Context } from '../context.ts';
import { findRow, insertRow, isArrayOf, isString, updateRow } from '../store/rows.ts';
import { readSettings } from './settings.ts';
import { roundDecimals } from './stock.ts';

/** An order to place. */
export interface NewOrder {
  /** The customer's ID. */
  customer: string;
  /** The final price, in the business's currency; by default the sum of the lines. */
  total?: number | undefined;
  lines?: readonly OrderLine[] | undefined;
  /** When it was placed and uploaded, in milliseconds since 1970; now by default. */
  at?: number | undefined;
}

/** A product in an order. */
export interface OrderLine {
  /** The product's ID. */
  product: string;
  quantity: number;
  /** The price of one. */
  price: number;
}

/** A placed order, with its loyalty transaction if it earned points. */
export interface PlacedOrder {
  id: string;
  loyaltyTransactionId: string | undefined;
}

/** Places an order. Throws a usage failure if it is invalid. */
export function placeOrder(
  context: Context,
  { customer: customerId, lines = [], at, ...order }: NewOrder,
): PlacedOrder {
  const sum = lines.reduce((price, line) => price + line.quantity * line.price, 0);
  const total = order.total ?? roundDecimals(sum);
  if (order.total === undefined && lines.length === 0) throw usage('An order needs a total or products.');
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
    const products = context.tables.get('products');
    for (const { product } of lines)
      if (!findRow(database, products, product)) throw usage(`The sandbox has no product ${product}.`);
    const id = context.newId('orders');
    insertRow(database, context.tables.get('orders'), {
      id,
      name: `Order of ${formatTimestamp(placedAtMs)}`,
      customer_id: customerId,
      total,
      lines: JSON.stringify(lines),
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

// Applies the loyalty rules: orders earn points, returns deduct them, and points become rewards (API document: "Loyalty
// rules").

/**
 * Applies rules 1 and 2: an order of at least the minimum price by a customer in the program earns its price, which
 * becomes redeemable after the delay. Returns the ID of the transaction, or undefined if nothing was earned.
 */
function earnLoyalty(
  context: Context,
  customer: StoredRow,
  orderId: string,
  total: number,
  placedAtMs: number,
): string | undefined {
  const { database } = context;
  const settings = readSettings(database);
  if (customer.is_loyalty_enabled !== 1 || total < settings.loyaltyMinimumOrderPrice) return undefined;
  const id = context.newId('loyalty_transactions');
  insertRow(database, context.tables.get('loyalty_transactions'), {
    id,
    business_date: formatDay(placedAtMs),
    amount: total,
    redeemable_at: formatTimestamp(placedAtMs + settings.loyaltyDelayInHours * hourMs),
    is_redeemed: 0,
    customer_id: String(customer.id),
    order_id: orderId,
    created_at: formatTimestamp(context.now),
    updated_at: formatTimestamp(context.now),
  });
  updateBalance(context, String(customer.id));
  // The amount of an order that is older than the delay is redeemable immediately.
  giveReward(context, String(customer.id));
  return id;
}

/** Applies rule 5: a return within the period deducts its amount; a later return has no effect. */
function deductReturn(context: Context, order: StoredRow, returnId: string, amount: number): void {
  const { database, now } = context;
  const { returnPeriodInDays } = readSettings(database);
  if (now > parseTimestamp(String(order.placed_at)) + returnPeriodInDays * dayMs) return;
  const transaction = database.get('SELECT * FROM loyalty_transactions WHERE order_id = ?', String(order.id));
  if (!transaction) return;
  const { returns: oldReturns } = transaction;
  const returns = oldReturns === null ? [] : parseJsonCell(oldReturns, database, isArrayOf(isString));
  updateRow(database, context.tables.get('loyalty_transactions'), String(transaction.id), {
    amount: Math.max(0, roundDecimals(Number(transaction.amount) - amount)),
    returns: JSON.stringify([...returns, returnId]),
    updated_at: formatTimestamp(now),
  });
  updateBalance(context, String(transaction.customer_id));
}

/** Returns the time of the next earned amount that becomes redeemable after `since`; undefined if there is none. */
export function nextRewardTime(database: Database, since: string): string | undefined {
  const row = database.get(
    `SELECT redeemable_at FROM ${pendingTransactions} ORDER BY redeemable_at LIMIT 1`,
    since,
  );
  return row && String(row.redeemable_at);
}

/** Applies rule 3: gives rewards to customers with amounts that became redeemable after `since`. */
export function giveRewards(context: Context, since: string): void {
  const { database, now } = context;
  const rows = database.all(
    `SELECT customer_id FROM ${pendingTransactions} AND redeemable_at <= ?`,
    since,
    formatTimestamp(now),
  );
  const customers = new Set(rows.map(({ customer_id }) => String(customer_id)));
  for (const id of [...customers].sort()) giveReward(context, id);
}

const pendingTransactions = 'loyalty_transactions WHERE is_redeemed = 0 AND redeemable_at > ?';

/** Gives one reward for all redeemable amounts of a customer, if their sum reaches the minimum. */
function giveReward(context: Context, customerId: string): void {
  const { database, now } = context;
  const settings = readSettings(database);
  const timestamp = formatTimestamp(now);
  const redeemableCondition = 'customer_id = ? AND is_redeemed = 0 AND redeemable_at <= ?';
  const sumRow = database.get(
    `SELECT sum(amount) AS total FROM loyalty_transactions WHERE ${redeemableCondition}`,
    customerId,
    timestamp,
  );
  if (Number(sumRow?.total ?? 0) < settings.loyaltyRewardMinimum) return;
  const id = context.newId('loyalty_rewards');
  insertRow(database, context.tables.get('loyalty_rewards'), {
    id,
    type: settings.loyaltyRewardType,
    valid_to: formatDay(now + settings.loyaltyRewardValidDays * dayMs),
    amount: settings.loyaltyRewardAmount,
    maximum_discount_amount: settings.loyaltyRewardMaximumDiscount,
    code: context.newId('reward_codes').toUpperCase(),
    customer_id: customerId,
    created_at: timestamp,
    updated_at: timestamp,
  });
  database.run(
    `UPDATE loyalty_transactions SET is_redeemed = 1, updated_at = ? WHERE ${redeemableCondition}`,
    timestamp,
    customerId,
    timestamp,
  );
  updateBalance(context, customerId);
}

/** Applies rule 4: sets the balance to the sum of the earned amounts that haven't become a reward. */
function updateBalance({ database, tables, now }: Context, customerId: string): void {
  const row = database.get(
    'SELECT sum(amount) AS total FROM loyalty_transactions WHERE customer_id = ? AND is_redeemed = 0',
    customerId,
  );
  updateRow(database, tables.get('customers'), customerId, {
    loyalty_balance: roundDecimals(Number(row?.total ?? 0)),
    updated_at: formatTimestamp(now),
  });
}
