/** Each type of notification is sent to its subscribers when its event occurs. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type NotificationType, notifications } from '../../src/resources/notification-types.ts';
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
function during(work: () => void): NotificationType[] {
  const before = client.sandbox.events().at(-1)?.sequence ?? 0;
  work();
  return client.sandbox.events(before).map(({ type }) => type);
}

const document = { branch_id: branch, warehouse_id: 'warehouse-central' };
const people = () => ({ creator_id: owner, poster_id: owner });
const count = (quantity: number, status = 2) =>
  client.post('/inventory_counts', {
    status,
    branch_id: branch,
    creator_id: owner,
    items: [{ id: item, quantity }],
  });
const move = (kind: Parameters<Client['sandbox']['moveStock']>[0]['kind'], quantity = 1) =>
  client.sandbox.moveStock({ kind, branchId: branch, itemId: item, quantity });
const transfer = (status: number) =>
  client.post('/transfer_orders', { ...document, ...people(), status, items: [{ id: item, quantity: 1 }] });
const adjust = (status: number) =>
  client.post('/cost_adjustments', {
    status,
    branch_id: branch,
    creator_id: owner,
    items: [{ id: item, cost_per_unit: 2 }],
  });

const occasions: Record<NotificationType, () => void> = {
  inventory_item_quantity_below_minimum_level: () => {
    count(6);
    count(4);
  },
  inventory_item_quantity_above_maximum_level: () => count(21),
  inventory_item_quantity_below_zero: () => move('quantity_adjustment', -1),
  inventory_business_date_ended: () => client.sandbox.clock.advance(dayMs),
  new_purchasing_inventory_transaction: () => move('purchasing'),
  new_transfer_sending_inventory_transaction: () => transfer(4),
  new_transfer_receiving_inventory_transaction: () => transfer(4),
  new_production_inventory_transaction: () => move('production'),
  new_quantity_adjustment_inventory_transaction: () => move('quantity_adjustment'),
  new_cost_adjustment_inventory_transaction: () => adjust(1),
  new_count_inventory_transaction: () => count(1, 1),
  new_return_to_supplier_inventory_transaction: () => move('return_to_supplier'),
  new_transfer_order: () => transfer(1),
  new_pending_transfer_receiving: () => transfer(4),
  new_pending_purchase_order: () => move('purchase_order'),
  cost_adjustment_transaction_closed: () => adjust(2),
  count_transaction_closed: () => count(1),
};

describe('every type of event in the document', () => {
  it.each(Object.entries(occasions))('%s', (type, occasion) => {
    expect(Object.keys(notifications)).toContain(type);
    expect(during(occasion)).toContain(type);
  });
});

describe('an event', () => {
  it('has time, branch, subject and notified users', () => {
    const { data } = count(8, 1).json;
    expect(client.sandbox.events().at(-1)).toEqual({
      sequence: expect.any(Number),
      at: '2026-11-20 12:00:00',
      type: 'new_count_inventory_transaction',
      branch: { id: branch, name: 'Riverside' },
      subject: { resource: 'inventory_counts', id: data.id },
      users: [{ id: owner, name: 'Nadia Rahman' }],
    });
  });

  it('is for active users who subscribed to it and belong to the branch', () => {
    const user = (name: string, place: string, types: NotificationType[]) =>
      client.post('/users', { name, lang: 'en', branches: [{ id: place }], notifications: types }).json.data
        .id;
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
    expect(during(() => transfer(4))).toEqual([]);
  });

  it('is never about the stock of a warehouse', () => {
    client.put(`/users/${owner}`, { notifications: ['inventory_item_quantity_below_zero'] });
    expect(during(() => transfer(4))).toEqual([]);
  });

  it('is not recorded for a refused request', () => {
    const refused = () =>
      client.post('/inventory_counts', { status: 2, branch_id: branch, creator_id: owner });
    expect(during(refused)).toEqual([]);
  });
});

describe('levels', () => {
  it('notify when they are crossed, not for movements beyond', () => {
    const below = 'inventory_item_quantity_below_minimum_level';
    count(10);
    expect(during(() => count(3))).toContain(below);
    expect(during(() => count(2))).not.toContain(below);
    expect(during(() => count(5))).not.toContain(below);
  });

  it('are those of the branch if it has its own', () => {
    client.post(`/inventory_items/${item}/branches/${branch}`, { minimum_level: '1', maximum_level: '2' });
    count(2);
    expect(during(() => count(1))).not.toContain('inventory_item_quantity_below_minimum_level');
    expect(during(() => count(3))).toContain('inventory_item_quantity_above_maximum_level');
  });
});

it('end of a business day: one event per branch, even if the clock is set back and forth', () => {
  const { clock } = client.sandbox;
  const ended = () =>
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
  expect(ended().length).toBeGreaterThan(0);
  expect(ended()).toEqual([...new Set(ended())]);
});

it('end of a business day: one event after several days without requests', () => {
  const ended = () => client.sandbox.events().filter(({ type }) => type === 'inventory_business_date_ended');
  client.sandbox.clock.advance(10 * dayMs);
  expect(ended().map((event) => [event.branch.name, event.subject.id])).toEqual([
    ['Riverside', '2026-11-20'],
    ['Old Town', '2026-11-20'],
    ['Airport Road', '2026-11-20'],
  ]);
  client.get('/whoami');
  expect(ended()).toHaveLength(3);
});
