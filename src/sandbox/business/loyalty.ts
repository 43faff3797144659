/**
 * Applies the loyalty rules: orders earn points, returns deduct them, and points become rewards (API document: "Loyalty
 * rules").
 */
import type { Database } from '../../storage/database.ts';
import { parseJsonCell } from '../../storage/json-cell.ts';
import { dayMs, formatDay, formatTimestamp, hourMs, parseTimestamp } from '../calendar.ts';
import type { Context } from '../context.ts';
import type { StoredRow } from '../store/cells.ts';
import { insertRow, updateRow } from '../store/rows.ts';
import { isArrayOf, isString } from '../store/stored-values.ts';
import { readSettings } from './settings.ts';
import { roundDecimals } from './stock.ts';

/**
 * Applies rules 1 and 2: an order of at least the minimum price by a customer in the program earns its price, which
 * becomes redeemable after the delay. Returns the ID of the transaction, or undefined if nothing was earned.
 */
export function earnLoyalty(
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
export function deductReturn(context: Context, order: StoredRow, returnId: string, amount: number): void {
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
