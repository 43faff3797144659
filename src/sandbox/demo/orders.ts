/** Adds the recent orders of the demo's customers, with their effects: loyalty points, rewards and returns. */
import { placeOrder, returnOrder } from '../business/orders.ts';
import { applyDueChanges } from '../business/time-effects.ts';
import { formatTimestamp } from '../calendar.ts';
import { updateRow } from '../store/rows.ts';
import type { DemoCustomer } from './customers.ts';
import type { DemoWriter } from './demo-writer.ts';

const dayCount = 44;
const ordersPerDay = 5;

/** Adds the orders of the demo business. */
export function addOrders(writer: DemoWriter, customers: readonly DemoCustomer[]): void {
  const [firstCustomer, ...otherCustomers] = customers;
  if (!firstCustomer) return;
  const guests = writer.random.sample(otherCustomers, 80);
  for (let day = dayCount; day >= 1; day -= 1) {
    writer.setTime(day, 12);
    if (day === dayCount) {
      // These earn the reward that is an example of the contract.
      placeOrder(writer, { customer: firstCustomer.id, total: 185 });
      placeOrder(writer, { customer: firstCustomer.id, total: 160.5 });
    }
    for (let number = 0; number < ordersPerDay; number += 1) {
      writer.setTime(day, 13 + number);
      const total = writer.random.between(40, 640) / 2;
      const order = placeOrder(writer, { customer: writer.random.pick(guests).id, total });
      if (writer.random.hasChance(25)) returnOrder(writer, order.id, Math.floor(total / 3));
    }
    writer.setTime(day, 20);
    applyDueChanges(writer);
  }
  redeemSomeRewards(writer, firstCustomer);
}

/** Marks every third reward as used in its customer's latest order, except rewards of the first customer. */
function redeemSomeRewards({ database, tables, now }: DemoWriter, firstCustomer: DemoCustomer): void {
  const rewards = database.all(
    `SELECT r.id, (SELECT o.id FROM orders o WHERE o.customer_id = r.customer_id ORDER BY o.seq DESC LIMIT 1) AS order_id
     FROM loyalty_rewards r WHERE r.customer_id <> ? AND r.seq % 3 = 0`,
    firstCustomer.id,
  );
  for (const { id, order_id } of rewards) {
    updateRow(database, tables.get('loyalty_rewards'), String(id), {
      order_id: order_id ?? null,
      updated_at: formatTimestamp(now),
    });
  }
}
