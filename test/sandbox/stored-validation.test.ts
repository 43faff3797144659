/** Tests validation against other records: references must exist and match, and unique values must be unused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, openClient } from './client.ts';
import { existingId, newRecordId } from './examples.ts';
import { refusals } from './refused-fields.ts';

let client: Client;
beforeAll(async () => {
  client = await openClient();
});
afterAll(() => client.sandbox.close());

const { refused, customer, event, item } = refusals(() => client);

describe('references to other records', () => {
  it('must be to existing active records', () => {
    const id = newRecordId(client, 'tags');
    expect(customer({ tags: [{ id }] })).toEqual([]);
    expect(customer({ tags: [{ id }, { id: 'none' }, { id }] })).toEqual(['tags.1.id', 'tags.2.id']);
    client.delete(`/tags/${id}`);
    expect(customer({ tags: [{ id }] })).toEqual(['tags.0.id']);
    expect(refused('/addresses', { customer_id: 'none', delivery_zone_id: 'none' })).toEqual([
      'customer_id',
      'delivery_zone_id',
    ]);
  });

  it('to deleted records are accepted only if they are already stored', () => {
    const owner = client.get('/whoami').json.data.user.id;
    const category = client.post('/inventory_item_categories', { name: 'Soon gone' }).json.data.id;
    const item = (sku: string) => ({
      name: 'Item',
      sku,
      storage_unit: 'kg',
      ingredient_unit: 'g',
      storage_to_ingredient_factor: 1000,
      costing_method: 1,
      category_id: category,
    });
    const { id } = client.post('/inventory_items', item('GONE-1')).json.data;
    const countBody = {
      status: 1,
      branch_id: 'branch-riverside',
      creator_id: owner,
      items: [{ id, quantity: 1 }],
    };
    const draft = client.post('/inventory_counts', countBody).json.data.id;
    client.delete(`/inventory_item_categories/${category}`);
    expect(client.put(`/inventory_items/${id}`, item('GONE-1')).status).toBe(200);
    expect(refused('/inventory_items', item('GONE-2'))).toEqual(['category_id']);
    client.delete(`/inventory_items/${id}`);
    expect(client.put(`/inventory_counts/${draft}`, countBody).status).toBe(200);
    expect(refused('/inventory_counts', countBody)).toEqual(['items.0.id']);
  });

  it("unique values can't be used twice, not even by deleted records", () => {
    const zone = { name: 'A zone', reference: 'ONCE' };
    const { data } = client.post('/delivery_zones', zone).json;
    expect(refused('/delivery_zones', zone)).toEqual(['reference']);
    expect(client.put(`/delivery_zones/${data.id}`, zone).status).toBe(200);
    client.delete(`/delivery_zones/${data.id}`);
    expect(refused('/delivery_zones', zone)).toEqual(['reference']);
    expect(refused('/delivery_zones', { name: 'Without a reference', reference: '' })).toEqual([]);
    expect(refused('/delivery_zones', { name: 'Another without', reference: '' })).toEqual([]);
  });

  it('other values can be used by several records', () => {
    const createTwice = (path: string, body: object) => [refused(path, body), refused(path, body)];
    const gift = { name: 'A card', sku: 'SAME', pricing_method: 1, price: 5 };
    const category_id = existingId(client, 'categories');
    const order = {
      status: 1,
      branch_id: 'branch-riverside',
      warehouse_id: 'warehouse-central',
      creator_id: existingId(client, 'users'),
      poster_id: existingId(client, 'users'),
      items: [{ id: existingId(client, 'inventory_items'), quantity: 1 }],
    };
    expect(createTwice('/suppliers', { name: 'A supplier', code: 'SAME' })).toEqual([[], []]);
    expect(createTwice('/payment_methods', { name: 'A method', type: 1, code: 'SAME' })).toEqual([[], []]);
    expect(createTwice('/inventory_item_categories', { name: 'A kind', reference: 'SAME' })).toEqual([
      [],
      [],
    ]);
    expect(createTwice('/gift_card_products', { ...gift, category_id })).toEqual([[], []]);
    expect(createTwice('/transfer_orders', { ...order, reference: 'SAME' })).toEqual([[], []]);
    expect([item({ sku: 'SAME' }), item({ sku: 'SAME' })]).toEqual([[], []]);
  });

  it('tags must have the type of the resource', () => {
    const tag = (type: number) => client.get(`/tags?filter[type]=${type}`).json.data[0].id;
    expect(customer({ tags: [{ id: tag(1) }] })).toEqual([]);
    const { status, json } = client.post('/customers', { name: 'A guest', tags: [{ id: tag(6) }] });
    expect([status, json.errors]).toEqual([
      422,
      { 'tags.0.id': ['The tags.0.id field refers to a tag whose type is not 1 (customer).'] },
    ]);
    expect(refused('/suppliers', { name: 'A supplier', tags: [{ id: tag(1) }] })).toEqual(['tags.0.id']);
    expect(event({ tags: [{ id: tag(7) }] })).toEqual([]);
    expect(event({ tags: [{ id: tag(1) }] })).toEqual(['tags.0.id']);
    const target = `/timed_events/${existingId(client, 'timed_events')}`;
    expect(client.put(target, { customer_tags: [{ id: tag(1) }] }).status).toBe(200);
    expect(client.put(target, { customer_tags: [{ id: tag(7) }] }).status).toBe(422);
  });

  it("tags and payment methods can't change their type", () => {
    const tag = newRecordId(client, 'tags');
    expect(Object.keys(client.put(`/tags/${tag}`, { type: 2 }).json.errors)).toEqual(['type']);
    const method = newRecordId(client, 'payment_methods');
    expect(Object.keys(client.put(`/payment_methods/${method}`, { type: 1 }).json.errors)).toEqual(['type']);
  });
});
