/** Adds the demo's stock, and its inventory counts, cost adjustments and transfer orders, at least one in each status. */
import { setQuantity } from '../business/stock.ts';
import type { DemoWriter } from './demo-writer.ts';
import { branches, warehouses } from './records.ts';

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
