/** Tests that each type of notification event is recorded for its subscribers. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type NotificationType, notifications } from '../../src/api/resources/notification-types.ts';
import { dayMs } from '../../src/sandbox/calendar.ts';
import { type Client, openClient } from './client.ts';

const branch = 'branch-riverside';

let client: Client;
let owner: string;
let item: string;
beforeEach(async () => {
  client = await openClient({ empty: true });
  client.sandbox.clock.freeze();
  owner = client.get('/whoami').json.data.user.id;
  item = client.post('/inventory_items', {
    name: 'Tomatoes',
    sku: 'SKU-1',
    storage_unit: 'kg',
    ingredient_unit: 'g',
    storage_to_ingredient_factor: 1000,
    costing_method: 1,
    minimum_level: '5',
    maximum_level: '20',
  }).json.data.id;
  return () => client.sandbox.close();
});

/** Returns the types of events that are recorded during some work. */
function eventTypesDuring(work: () => void): NotificationType[] {
  const before = client.sandbox.events().at(-1)?.sequence ?? 0;
  work();
  return client.sandbox.events(before).map(({ type }) => type);
}

const branchAndWarehouse = { branch_id: branch, warehouse_id: 'warehouse-central' };
const creatorAndPoster = () => ({ creator_id: owner, poster_id: owner });
const createCount = (quantity: number, status = 2) =>
  client.post('/inventory_counts', {
    status,
    branch_id: branch,
    creator_id: owner,
    items: [{ id: item, quantity }],
  });
const moveStock = (kind: Parameters<Client['sandbox']['moveStock']>[0]['kind'], quantity = 1) =>
  client.sandbox.moveStock({ kind, branchId: branch, itemId: item, quantity });
const transfer = (status: number) =>
  client.post('/transfer_orders', {
    ...branchAndWarehouse,
    ...creatorAndPoster(),
    status,
    items: [{ id: item, quantity: 1 }],
  });
const adjust = (status: number) =>
  client.post('/cost_adjustments', {
    status,
    branch_id: branch,
    creator_id: owner,
    items: [{ id: item, cost_per_unit: 2 }],
  });

const triggers: Record<NotificationType, () => void> = {
  inventory_item_quantity_below_minimum_level: () => {
    createCount(6);
    createCount(4);
  },
  inventory_item_quantity_above_maximum_level: () => createCount(21),
  inventory_item_quantity_below_zero: () => moveStock('quantity_adjustment', -1),
  inventory_business_date_ended: () => client.sandbox.clock.advance(dayMs),
  new_purchasing_inventory_transaction: () => moveStock('purchasing'),
  new_transfer_sending_inventory_transaction: () => transfer(4),
  new_transfer_receiving_inventory_transaction: () => transfer(4),
  new_production_inventory_transaction: () => moveStock('production'),
  new_quantity_adjustment_inventory_transaction: () => moveStock('quantity_adjustment'),
  new_cost_adjustment_inventory_transaction: () => adjust(1),
  new_count_inventory_transaction: () => createCount(1, 1),
  new_return_to_supplier_inventory_transaction: () => moveStock('return_to_supplier'),
  new_transfer_order: () => transfer(1),
  new_pending_transfer_receiving: () => transfer(4),
  new_pending_purchase_order: () => moveStock('purchase_order'),
  cost_adjustment_transaction_closed: () => adjust(2),
  count_transaction_closed: () => createCount(1),
};

describe('every type of event in the API document', () => {
  it.each(Object.entries(triggers))('is recorded: %s', (type, trigger) => {
    expect(Object.keys(notifications)).toContain(type);
    expect(eventTypesDuring(trigger)).toContain(type);
  });
});

describe('an event', () => {
  it('has time, branch, subject and notified users', () => {
    const { data } = createCount(8, 1).json;
    expect(client.sandbox.events().at(-1)).toEqual({
      sequence: expect.any(Number),
      at: '2026-11-20 12:00:00',
      type: 'new_count_inventory_transaction',
      branch: { id: branch, name: 'Riverside' },
      subject: { resource: 'inventory_counts', id: data.id },
      users: [{ id: owner, name: 'Nadia Rahman' }],
    });
  });

  it('has the active users who subscribed to it and belong to the branch', () => {
    const user = (name: string, branchId: string, types: NotificationType[]) =>
      client.post('/users', { name, lang: 'en', branches: [{ id: branchId }], notifications: types }).json
        .data.id;
    user('Here', branch, ['new_transfer_order']);
    user('Elsewhere', 'branch-airport', ['new_transfer_order']);
    user('Uninterested', branch, ['count_transaction_closed']);
    client.delete(`/users/${user('Gone', branch, ['new_transfer_order'])}`);
    transfer(1);
    const names = client.sandbox
      .events()
      .at(-1)
      ?.users.map(({ name }) => name);
    expect(names).toEqual(['Nadia Rahman', 'Here']);
  });

  it('is not recorded without subscribers', () => {
    client.put(`/users/${owner}`, { notifications: [] });
    expect(eventTypesDuring(() => transfer(4))).toEqual([]);
  });

  it('is never about the stock of a warehouse', () => {
    client.put(`/users/${owner}`, { notifications: ['inventory_item_quantity_below_zero'] });
    expect(eventTypesDuring(() => transfer(4))).toEqual([]);
  });

  it('is not recorded for a refused request', () => {
    const sendRefused = () =>
      client.post('/inventory_counts', { status: 2, branch_id: branch, creator_id: owner });
    expect(eventTypesDuring(sendRefused)).toEqual([]);
  });
});

describe('levels', () => {
  it('notify when they are crossed, not for later movements beyond them', () => {
    const below = 'inventory_item_quantity_below_minimum_level';
    createCount(10);
    expect(eventTypesDuring(() => createCount(3))).toContain(below);
    expect(eventTypesDuring(() => createCount(2))).not.toContain(below);
    expect(eventTypesDuring(() => createCount(5))).not.toContain(below);
  });

  it('of the branch override those of the item', () => {
    client.post(`/inventory_items/${item}/branches/${branch}`, { minimum_level: '1', maximum_level: '2' });
    createCount(2);
    expect(eventTypesDuring(() => createCount(1))).not.toContain(
      'inventory_item_quantity_below_minimum_level',
    );
    expect(eventTypesDuring(() => createCount(3))).toContain('inventory_item_quantity_above_maximum_level');
  });
});

it('end of a business day: one event per branch, even if the clock is set back and forward', () => {
  const { clock } = client.sandbox;
  const endedDays = () =>
    client.sandbox
      .events()
      .filter(({ type }) => type === 'inventory_business_date_ended')
      .map(({ branch, subject }) => `${branch.name} ${subject.id}`);
  for (let count = 0; count < 3; count++) {
    for (const day of ['2026-11-21', '2026-11-22', '2026-11-20', '2026-11-24', '2026-11-23', '2026-11-20']) {
      clock.set(Date.parse(`${day}T10:00:00Z`));
      client.get('/whoami');
    }
  }
  expect(endedDays().length).toBeGreaterThan(0);
  expect(endedDays()).toEqual([...new Set(endedDays())]);
});

it('end of a business day: one event after several days without requests', () => {
  const endedDays = () =>
    client.sandbox.events().filter(({ type }) => type === 'inventory_business_date_ended');
  client.sandbox.clock.advance(10 * dayMs);
  expect(endedDays().map((event) => [event.branch.name, event.subject.id])).toEqual([
    ['Riverside', '2026-11-20'],
    ['Old Town', '2026-11-20'],
    ['Airport Road', '2026-11-20'],
  ]);
  client.get('/whoami');
  expect(endedDays()).toHaveLength(3);
});
