/** Loyalty: what orders earn, what returns deduct, and when points become a reward (document: "Loyalty rules"). */
import type { Database } from '../../storage/database.ts';
import { parseJsonCell } from '../../storage/json-cell.ts';
import { dayMs, hourMs, readMoment, writeDay, writeMoment } from '../calendar.ts';
import type { Context } from '../context.ts';
import type { StoredRow } from '../store/cells.ts';
import { isListOf, isText } from '../store/facts.ts';
import { insertRow, updateRow } from '../store/rows.ts';
import { readSettings } from './settings.ts';
import { rounded } from './stock.ts';

/**
 * Rules 1 and 2: an order above the minimum by a customer in the program earns its price, which counts after the
 * delay. Returns the id of the transaction, or undefined if nothing was earned.
 */
export function earn(
  context: Context,
  customer: StoredRow,
  orderId: string,
  total: number,
  placedAt: number,
): string | undefined {
  const { database } = context;
  const settings = readSettings(database);
  if (customer.is_loyalty_enabled !== 1 || total < settings.loyaltyMinimumOrderPrice) return undefined;
  const id = context.newId('loyalty_transactions');
  insertRow(database, context.tables.named('loyalty_transactions'), {
    id,
    business_date: writeDay(placedAt),
    amount: total,
    redeemable_at: writeMoment(placedAt + settings.loyaltyDelayInHours * hourMs),
    is_redeemed: 0,
    customer_id: String(customer.id),
    order_id: orderId,
    created_at: writeMoment(context.now),
    updated_at: writeMoment(context.now),
  });
  updateBalance(context, String(customer.id));
  // An order placed longer ago than the delay counts at once.
  giveReward(context, String(customer.id));
  return id;
}

/** Rule 5: a return within the period deducts its amount; a later one changes nothing. */
export function deductReturn(context: Context, order: StoredRow, returnId: string, amount: number): void {
  const { database, now } = context;
  const { returnPeriodInDays } = readSettings(database);
  if (now > readMoment(String(order.placed_at)) + returnPeriodInDays * dayMs) return;
  const transaction = database.get('SELECT * FROM loyalty_transactions WHERE order_id = ?', String(order.id));
  if (!transaction) return;
  const { returns: before } = transaction;
  const returns = before === null ? [] : parseJsonCell(before, database, isListOf(isText));
  updateRow(database, context.tables.named('loyalty_transactions'), String(transaction.id), {
    amount: Math.max(0, rounded(Number(transaction.amount) - amount)),
    returns: JSON.stringify([...returns, returnId]),
    updated_at: writeMoment(now),
  });
  updateBalance(context, String(transaction.customer_id));
}

/** Returns when the next earned amount starts to count after `since`; undefined if none is waiting. */
export function nextRewardTime(database: Database, since: string): string | undefined {
  const row = database.get(`SELECT redeemable_at FROM ${waiting} ORDER BY redeemable_at LIMIT 1`, since);
  return row && String(row.redeemable_at);
}

/** Rule 3: gives rewards to customers whose amounts started to count after `since`. */
export function giveRewards(context: Context, since: string): void {
  const { database, now } = context;
  const rows = database.all(
    `SELECT customer_id FROM ${waiting} AND redeemable_at <= ?`,
    since,
    writeMoment(now),
  );
  const customers = new Set(rows.map(({ customer_id }) => String(customer_id)));
  for (const id of [...customers].sort()) giveReward(context, id);
}

const waiting = 'loyalty_transactions WHERE is_redeemed = 0 AND redeemable_at > ?';

/** Gives one reward for everything that counts by now, if it is enough. */
function giveReward(context: Context, customerId: string): void {
  const { database, now } = context;
  const settings = readSettings(database);
  const moment = writeMoment(now);
  const counting = 'customer_id = ? AND is_redeemed = 0 AND redeemable_at <= ?';
  const sum = database.get(
    `SELECT sum(amount) AS saved FROM loyalty_transactions WHERE ${counting}`,
    customerId,
    moment,
  );
  if (Number(sum?.saved ?? 0) < settings.loyaltyRewardMinimum) return;
  const id = context.newId('loyalty_rewards');
  insertRow(database, context.tables.named('loyalty_rewards'), {
    id,
    type: settings.loyaltyRewardType,
    valid_to: writeDay(now + settings.loyaltyRewardValidDays * dayMs),
    amount: settings.loyaltyRewardAmount,
    maximum_discount_amount: settings.loyaltyRewardMaximumDiscount,
    code: context.newId('reward_codes').toUpperCase(),
    customer_id: customerId,
    created_at: moment,
    updated_at: moment,
  });
  database.run(
    `UPDATE loyalty_transactions SET is_redeemed = 1, updated_at = ? WHERE ${counting}`,
    moment,
    customerId,
    moment,
  );
  updateBalance(context, customerId);
}

/** Rule 4: updates the balance, which is everything earned that hasn't become a reward. */
function updateBalance({ database, tables, now }: Context, customerId: string): void {
  const row = database.get(
    'SELECT sum(amount) AS saved FROM loyalty_transactions WHERE customer_id = ? AND is_redeemed = 0',
    customerId,
  );
  updateRow(database, tables.named('customers'), customerId, {
    loyalty_balance: rounded(Number(row?.saved ?? 0)),
    updated_at: writeMoment(now),
  });
}
