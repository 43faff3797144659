/** Adds the activity of the demo business: its customers with their orders, its stock, and its stock documents. */
import { placeOrder, returnOrder } from '../business/orders.ts';
import { setQuantity } from '../business/stock.ts';
import { applyDueChanges } from '../business/time-effects.ts';
import { dayMs, formatDay, formatTimestamp } from '../calendar.ts';
import { updateRow } from '../store/rows.ts';
import demo from './demo.json' with { type: 'json' };
import type { DemoWriter } from './demo-writer.ts';
import { branches, type DemoZone, type GeoPoint, warehouses } from './records.ts';

const customerCount = 200;

const { women, men, families, arabicWomen, arabicMen, arabicFamilies, addressNames, streets, floors } =
  demo.customers;

/** A demo customer, for the parts of the demo that are added later. */
export interface DemoCustomer {
  id: string;
  isInLoyalty: boolean;
}

/** Adds the customers with their addresses and returns them. The first customer is the example of the contract. */
export function addCustomers(writer: DemoWriter, zones: readonly DemoZone[]): DemoCustomer[] {
  const { random } = writer;
  return Array.from({ length: customerCount }, (_, index) => {
    writer.setTime(380 - index, 8 + (index % 12));
    const isFirst = index === 0;
    const isWoman = isFirst || random.hasChance(2);
    const isInLoyalty = isFirst || !random.hasChance(3);
    const hasHouseAccount = random.hasChance(12);
    const tag =
      isFirst || random.hasChance(4)
        ? 'Regular'
        : random.hasChance(9)
          ? 'VIP'
          : hasHouseAccount
            ? 'Corporate'
            : undefined;
    const age = random.between(20 * 365, 65 * 365);
    const id = writer.add('customers', {
      name: isFirst ? 'Huda Al-Amin' : customerName(writer, isWoman, index),
      dial_code: random.hasChance(15) ? 971 : 966,
      phone: `5${10_000_000 + ((index * 7_654_321) % 89_999_999)}`,
      email: random.hasChance(3) ? null : `customer${index + 1}@example.com`,
      gender: random.hasChance(8) ? null : isWoman ? 2 : 1,
      birth_date: random.hasChance(3) ? null : formatDay(writer.now - age * dayMs),
      is_loyalty_enabled: isInLoyalty,
      is_blacklisted: !isFirst && random.hasChance(40),
      is_house_account_enabled: hasHouseAccount,
      house_account_limit: hasHouseAccount ? random.between(2, 20) * 100 : null,
      house_account_balance: hasHouseAccount ? random.between(0, 900) / 2 : 0,
      tags: tag === undefined ? [] : [tag],
    });
    for (let number = 0; number < (isFirst ? 2 : random.between(0, 2)); number += 1) {
      addAddress(writer, id, random.pick(zones), isFirst && number === 0 ? 'address-huda-home' : undefined);
    }
    return { id, isInLoyalty };
  });
}

function customerName({ random }: DemoWriter, isWoman: boolean, index: number): string {
  return index % 4 === 3
    ? `${random.pick(isWoman ? arabicWomen : arabicMen)} ${random.pick(arabicFamilies)}`
    : `${random.pick(isWoman ? women : men)} ${random.pick(families)}`;
}

function addAddress(writer: DemoWriter, customer: string, zone: DemoZone, id?: string): void {
  const { random } = writer;
  const [longitude, latitude] = pointNear(writer, zone.center);
  const values = {
    name: id ? 'Home' : random.pick(addressNames),
    description: `${random.between(1, 140)} ${random.pick(streets)}, ${random.pick(floors)}`,
    latitude: latitude.toFixed(5),
    longitude: longitude.toFixed(5),
    customer,
    delivery_zone: zone.name,
  };
  writer.add('addresses', values, id ?? writer.newId('addresses'));
}

/** Returns a point within about 500 meters. */
function pointNear({ random }: DemoWriter, [longitude, latitude]: GeoPoint): GeoPoint {
  const randomShift = () => random.between(-450, 450) / 100_000;
  return [longitude + randomShift(), latitude + randomShift()];
}

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

const [riverside, oldTown] = branches;

/** Sets the stock of each item in each warehouse and branch. */
export function addStock(writer: DemoWriter, items: readonly string[]): void {
  for (const id of items) {
    const subject = { resource: 'inventory_items', id };
    for (const warehouse of warehouses)
      setQuantity(writer, warehouse, id, writer.random.between(80, 240), subject);
    for (const branch of branches) setQuantity(writer, branch, id, writer.random.between(8, 30), subject);
  }
}

const [draft, closed] = [1, 2];
const transfer = { draft: 1, opened: 2, closed: 3, accepted: 4, declined: 5 };

/** Adds counts, cost adjustments and transfer orders, created and posted by the users. */
export function addStockDocuments(
  writer: DemoWriter,
  items: readonly string[],
  userIds: readonly string[],
): void {
  const randomQuantities = (low: number, high: number) =>
    writer.random.sample(items, writer.random.between(3, 8)).map((id) => ({
      id,
      quantity: writer.random.between(low, high),
    }));
  const randomCosts = () =>
    writer.random.sample(items.slice(0, 40), 3).map((id) => ({
      id,
      cost_per_unit: writer.random.between(300, 6000) / 100,
    }));
  const randomCreatorAndBranch = () => ({
    creator: writer.random.pick(userIds),
    branch: writer.random.pick(branches),
  });

  // The first document of each kind is a draft, so that the first record of a list can be updated.
  for (const [index, status] of [draft, closed, closed, closed, closed, draft].entries()) {
    writer.setTime(42 - index * 7, 20);
    const notes = index === 0 ? 'Freezer still to be counted' : undefined;
    writer.add('inventory_counts', {
      ...randomCreatorAndBranch(),
      status,
      items: randomQuantities(4, 34),
      notes,
    });
  }
  for (const [index, status] of [draft, closed, closed, draft].entries()) {
    writer.setTime(36 - index * 9, 17);
    const notes = status === closed ? 'New price list' : undefined;
    writer.add('cost_adjustments', { ...randomCreatorAndBranch(), status, items: randomCosts(), notes });
  }
  const { opened, accepted, declined } = transfer;
  const transferStatuses = [transfer.draft, opened, accepted, declined, transfer.closed, accepted, opened];
  for (const [index, status] of transferStatuses.entries()) {
    writer.setTime(28 - index * 4, 8);
    const { creator } = randomCreatorAndBranch();
    const branch = index % 2 === 0 ? riverside : oldTown;
    const notes = status === declined ? 'Not in stock before Sunday' : undefined;
    writer.add('transfer_orders', {
      branch,
      warehouse: index === 5 ? warehouses[1] : warehouses[0],
      creator,
      poster: creator,
      status,
      items: randomQuantities(2, 12),
      notes,
    });
  }
}
