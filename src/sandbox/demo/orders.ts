/** The recent orders of the demo's customers, with their effects: loyalty points, rewards and returns. */
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
  const [first, ...others] = customers;
  if (!first) return;
  const guests = writer.chance.some(others, 80);
  for (let day = dayCount; day >= 1; day -= 1) {
    writer.setTime(day, 12);
    if (day === dayCount) {
      // These earn the reward that is an example of the contract.
      placeOrder(writer, { customer: first.id, total: 185 });
      placeOrder(writer, { customer: first.id, total: 160.5 });
    }
    for (let number = 0; number < ordersPerDay; number += 1) {
      writer.setTime(day, 13 + number);
      const total = writer.chance.between(40, 640) / 2;
      const order = placeOrder(writer, { customer: writer.chance.one(guests).id, total });
      if (writer.chance.oneIn(25)) returnOrder(writer, order.id, Math.floor(total / 3));
    }
    writer.setTime(day, 20);
    applyDueChanges(writer);
  }
  useSomeRewards(writer, first);
}

/** Marks every third reward as used in its customer's latest order, except rewards of the first customer. */
function useSomeRewards({ database, tables, now }: DemoWriter, first: DemoCustomer): void {
  const rewards = database.all(
    `SELECT r.id, (SELECT o.id FROM orders o WHERE o.customer_id = r.customer_id ORDER BY o.seq DESC LIMIT 1) AS order_id
     FROM loyalty_rewards r WHERE r.customer_id <> ? AND r.seq % 3 = 0`,
    first.id,
  );
  for (const { id, order_id } of rewards) {
    updateRow(database, tables.named('loyalty_rewards'), String(id), {
      order_id: order_id ?? null,
      updated_at: formatTimestamp(now),
    });
  }
}
