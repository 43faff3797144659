/** Tests how inventory counts, cost adjustments, transfer orders and other movements change the stock. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type MovementKind, quantityAt } from '../../src/sandbox/business/stock.ts';
import { type Client, openClient } from './client.ts';
import { existingId } from './examples.ts';

const branch = 'branch-riverside';
const warehouse = 'warehouse-central';
const [draft, closed] = [1, 2];
const orderStatus = { draft: 1, opened: 2, closed: 3, accepted: 4, declined: 5 };

let client: Client;
let item: string;
let user: string;
beforeEach(async () => {
  client = await openClient();
  item = existingId(client, 'inventory_items');
  user = existingId(client, 'users');
  return () => client.sandbox.close();
});

const stock = (branchId = branch) => quantityAt(client.sandbox.database, branchId, item);
const read = (path: string) => client.get(path).json.data;

describe('an inventory count', () => {
  const createDocument = (status: number, quantity: number) =>
    client.post('/inventory_counts', {
      status,
      branch_id: branch,
      creator_id: user,
      items: [{ id: item, quantity }],
    }).json.data;

  it('changes nothing while it is a draft', () => {
    const before = stock();
    const inventoryCount = createDocument(draft, before + 5);
    expect(stock()).toBe(before);
    expect(inventoryCount).toMatchObject({ reference: 'IC-0007', business_date: null, poster: null });
    expect(inventoryCount.items[0].pivot).toEqual({
      quantity: before + 5,
      variance_quantity: null,
      variance_cost: null,
      variance_percent: null,
    });
  });

  it('sets the quantities when it is closed, and stores the differences', () => {
    client.put(`/inventory_items/${item}`, { cost: 4 });
    createDocument(closed, 20);
    const { id } = createDocument(draft, 25);
    const inventoryCount = client.put(`/inventory_counts/${id}`, { status: closed }).json.data;
    expect(stock()).toBe(25);
    expect(inventoryCount.items[0].pivot).toEqual({
      quantity: 25,
      variance_quantity: 5,
      variance_cost: 20,
      variance_percent: 25,
    });
    const { user: owner } = read('/whoami');
    expect(inventoryCount).toMatchObject({ business_date: '2026-11-20', poster: { id: owner.id } });
  });

  it('can be created closed, and has no percentage without an expected quantity', () => {
    createDocument(closed, 0);
    const inventoryCount = createDocument(closed, 7);
    expect(stock()).toBe(7);
    expect(inventoryCount.items[0].pivot).toMatchObject({ variance_quantity: 7, variance_percent: null });
  });

  it("can't be changed once it is closed", () => {
    const { id, items } = createDocument(closed, 10);
    const put = (body: object) => client.put(`/inventory_counts/${id}`, body);
    expect(Object.keys(put({ status: draft, branch_id: 'branch-airport', items: [] }).json.errors)).toEqual([
      'status',
      'branch_id',
      'items',
    ]);
    const unchangedBody = { status: closed, branch_id: branch, items: [{ id: item, quantity: 10 }] };
    expect(put({ ...unchangedBody, notes: 'Checked' }).status).toBe(200);
    expect(read(`/inventory_counts/${id}`)).toMatchObject({ notes: 'Checked', items });
    expect(stock()).toBe(10);
    expect(client.delete(`/inventory_counts/${id}`).status).toBe(200);
    expect(stock()).toBe(10);
  });
});

describe('a cost adjustment', () => {
  it('sets the new cost when it is closed, and stores the previous one', () => {
    client.put(`/inventory_items/${item}`, { cost: 4 });
    const body = { branch_id: branch, creator_id: user, items: [{ id: item, cost_per_unit: 7.5 }] };
    const { id } = client.post('/cost_adjustments', { ...body, status: draft }).json.data;
    expect(read(`/inventory_items/${item}`).cost).toBe(4);
    const { items } = client.put(`/cost_adjustments/${id}`, { status: closed }).json.data;
    expect(items[0].pivot).toEqual({ cost_per_unit: 7.5, previous_cost_per_unit: 4 });
    expect(read(`/inventory_items/${item}`).cost).toBe(7.5);
    expect(client.put(`/cost_adjustments/${id}`, { status: draft }).status).toBe(422);
  });
});

describe('a transfer order', () => {
  const createDocument = (status: number, fields: object = {}) =>
    client.post('/transfer_orders', {
      status,
      branch_id: branch,
      warehouse_id: warehouse,
      creator_id: user,
      poster_id: user,
      items: [{ id: item, quantity: 3 }],
      ...fields,
    });
  const stockChanges = (work: () => void) => {
    const before = [stock(warehouse), stock(branch)];
    work();
    return [stock(warehouse) - (before[0] ?? 0), stock(branch) - (before[1] ?? 0)];
  };

  it('moves its items when it is accepted, once', () => {
    const { id } = createDocument(orderStatus.draft).json.data;
    const put = (status: number) => client.put(`/transfer_orders/${id}`, { status });
    expect(stockChanges(() => put(orderStatus.opened))).toEqual([0, 0]);
    expect(stockChanges(() => put(orderStatus.accepted))).toEqual([-3, 3]);
    expect(stockChanges(() => put(orderStatus.accepted))).toEqual([0, 0]);
    expect(stockChanges(() => put(orderStatus.closed))).toEqual([0, 0]);
    expect(put(orderStatus.accepted).status).toBe(422);
  });

  it('can be created in any status, and moves items only when accepted', () => {
    for (const status of [orderStatus.draft, orderStatus.opened, orderStatus.closed, orderStatus.declined]) {
      expect(stockChanges(() => expect(createDocument(status).status).toBe(201))).toEqual([0, 0]);
    }
    expect(stockChanges(() => createDocument(orderStatus.accepted))).toEqual([-3, 3]);
  });

  it('has two fields for the user who posted it, as in the API document', () => {
    expect(createDocument(orderStatus.draft).json.data).toMatchObject({
      poster: { id: user },
      poster_id: user,
    });
  });

  it('has the sent reference, or else the next number', () => {
    expect(createDocument(orderStatus.draft, { reference: 'OWN-1' }).json.data.reference).toBe('OWN-1');
    // In the API document, the references of counts and cost adjustments are unique, but not these.
    expect(createDocument(orderStatus.draft, { reference: 'OWN-1' }).status).toBe(201);
    expect(createDocument(orderStatus.draft).json.data.reference).toMatch(/^TO-\d{4}$/);
  });
});

describe('other stock movements', () => {
  it('add and deduct stock', () => {
    const stockChange = (
      kind: 'purchasing' | 'return_to_supplier' | 'quantity_adjustment',
      quantity: number,
    ) => {
      const before = stock();
      client.sandbox.moveStock({ kind, branchId: branch, itemId: item, quantity });
      return stock() - before;
    };
    expect(stockChange('purchasing', 12)).toBe(12);
    expect(stockChange('return_to_supplier', 2)).toBe(-2);
    expect(stockChange('quantity_adjustment', -1)).toBe(-1);
    expect(() => stockChange('purchasing', -1)).toThrow('quantity');
  });

  it('below the minimum order quantity of the supplier: are refused', () => {
    const supplier = client.post('/suppliers', { name: 'Boxes' }).json.data.id;
    const otherSupplier = client.post('/suppliers', { name: 'Crates' }).json.data.id;
    const { id } = client.post('/inventory_items', {
      name: 'Cup',
      sku: 'CUP',
      storage_unit: 'piece',
      ingredient_unit: 'piece',
      storage_to_ingredient_factor: 1,
      costing_method: 1,
    }).json.data;
    const buy = (quantity: number, supplierId?: string, kind: MovementKind = 'purchase_order') =>
      client.sandbox.moveStock({ kind, branchId: branch, itemId: id, supplierId, quantity });
    expect(() => buy(1)).not.toThrow();
    const link = { order_unit: 'box', order_to_storage_factor: 12, minimum_order_quantity: 3 };
    client.post(`/suppliers/${supplier}/items/${id}`, link);
    expect(() => buy(35)).toThrow('Boxes 3 box, which is 36 storage units');
    expect(() => buy(35, supplier, 'purchasing')).toThrow('below the minimum order quantity');
    expect(() => buy(36, supplier)).not.toThrow();
    expect(() => buy(36, otherSupplier)).toThrow("doesn't supply");
    client.post(`/suppliers/${otherSupplier}/items/${id}`, { ...link, minimum_order_quantity: null });
    expect(() => buy(1)).not.toThrow();
    expect(() => buy(1, supplier)).toThrow('below the minimum order quantity');
    expect(() => buy(1, supplier, 'return_to_supplier')).toThrow('have a supplier');
  });

  it('of production: deduct the ingredients', () => {
    const hummus = read('/inventory_items?filter[sku]=SKU-053')[0];
    const chickpeas = read('/inventory_items?filter[sku]=SKU-032')[0];
    const stockOf = (id: string) => quantityAt(client.sandbox.database, branch, id);
    const before = [stockOf(hummus.id), stockOf(chickpeas.id)];
    client.sandbox.moveStock({ kind: 'production', branchId: branch, itemId: hummus.id, quantity: 2 });
    expect(stockOf(hummus.id) - (before[0] ?? 0)).toBe(2);
    // One kilogram contains 600 g.
    expect(stockOf(chickpeas.id) - (before[1] ?? 0)).toBeCloseTo(-1.2);
  });
});
