/** Tests that PUT can change the fields that tables of the API document mark as updatable, at any depth. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { type Client, openClient } from './client.ts';
import { existingId, newRecordId } from './examples.ts';

let client: Client;
beforeAll(async () => {
  client = await openClient();
});
afterAll(() => client.sandbox.close());

const put = (path: string, body: object) => {
  const { status, json } = client.put(path, body);
  return json.errors ?? { status, ...json.data };
};
const getIncluding = (path: string, include: string) => client.get(`${path}?include=${include}`).json.data;

it('create: refuses fields that only updates accept', () => {
  for (const { name, path, fields } of api.collections) {
    for (const [field, { traits }] of Object.entries(fields)) {
      if (traits.writable !== 'in_updates') continue;
      const { json } = client.post(path, { [field]: traits.example ?? [] });
      expect([name, json.errors[field]]).toEqual([name, [expect.stringContaining("can't be set here")]]);
    }
  }
});

describe('the options of a modifier', () => {
  const modifier = () => `/modifiers/${newRecordId(client, 'modifiers')}`;
  const option = () => ({
    name: 'Tahini',
    name_localized: 'طحينة',
    sku: 'MOD-1',
    is_active: true,
    costing_method: 2,
    price: 2.5,
    cost: null,
    calories: 90,
    tax_group_id: existingId(client, 'tax_groups'),
    products: [{ id: 'product-hummus' }],
    branches: [{ id: 'branch-airport', price: 3, is_active: true, is_in_stock: false }],
    ingredients: [{ id: existingId(client, 'inventory_items'), quantity: 20 }],
  });

  it('are created with all of their fields and links', () => {
    const path = modifier();
    expect(put(path, { is_ready: true, reference: 'MOD-NEW', options: [option()] })).toMatchObject({
      status: 200,
      is_ready: true,
      reference: 'MOD-NEW',
    });
    const { tax_group_id, branches, ingredients, ...plain } = option();
    expect(getIncluding(path, 'options').options).toEqual([
      {
        ...plain,
        id: expect.any(String),
        tax_group: { id: tax_group_id },
        branches: [{ id: 'branch-airport', pivot: { price: 3, is_active: true, is_in_stock: false } }],
        ingredients: [{ id: ingredients[0]?.id, pivot: { quantity: 20 } }],
      },
    ]);
    expect(getIncluding(path, 'options.tax_group').options[0].tax_group.name).toBe('Standard Rate');
  });

  it('are kept, changed, created and removed according to the sent list, in its order', () => {
    const path = modifier();
    put(path, { options: [option(), { name: 'Garlic' }, { name: 'Plain' }] });
    const [tahini, garlic] = getIncluding(path, 'options').options;
    put(path, { options: [{ name: 'Lemon' }, { id: garlic.id, price: 1 }, { id: tahini.id }] });
    const optionsAfter = getIncluding(path, 'options').options;
    expect(optionsAfter.map(({ name }: { name: string }) => name)).toEqual(['Lemon', 'Garlic', 'Tahini']);
    expect(optionsAfter[1]).toEqual({ ...garlic, price: 1 });
    expect(optionsAfter[2]).toEqual(tahini);
    put(path, { options: [] });
    expect(getIncluding(path, 'options').options).toEqual([]);
    expect(client.put(path, { options: [{ id: tahini.id }] }).status).toBe(422);
  });

  it('are validated at every depth, all at once', () => {
    const path = modifier();
    const otherPath = existingId(client, 'modifiers');
    const [{ id: foreignId }] = client.get(`/modifiers/${otherPath}`).json.data.options;
    const invalidOption = {
      ...option(),
      price: '2.5',
      color: 'red',
      tax_group_id: 'none',
      branches: [{ id: 'nowhere', price: 'dear' }],
      ingredients: [{ quantity: 1 }, 'x'],
    };
    expect(Object.keys(put(path, { options: [invalidOption, { id: foreignId }, 5] })).sort()).toEqual([
      'options.0.branches.0.price',
      'options.0.color',
      'options.0.ingredients.0.id',
      'options.0.ingredients.1',
      'options.0.price',
      'options.2',
    ]);
    const { id } = put(path, { options: [{ name: 'Own' }] }).options[0];
    const missingRecords = { tax_group_id: 'none', products: [{ id: 'none' }, { id: 'none' }] };
    expect(
      Object.keys(put(path, { options: [{ id, ...missingRecords }, { id: foreignId }, { id }] })).sort(),
    ).toEqual([
      'options.0.products.0.id',
      'options.0.products.1.id',
      'options.0.tax_group_id',
      'options.1.id',
      'options.2.id',
    ]);
  });
});

it('groups, sections and timed events update: accept lists of related records', () => {
  const group = `/groups/${newRecordId(client, 'groups')}`;
  const card = newRecordId(client, 'gift_card_products');
  const fields = {
    products: [{ id: 'product-hummus' }],
    combos: [{ id: 'combo-family-feast' }],
    subgroups: [{ id: existingId(client, 'groups') }],
    gift_card_products: [{ id: card }],
    items_index: [card, 'product-hummus'],
  };
  expect(put(group, fields)).toMatchObject({ status: 200, ...fields });
  expect(client.get(`/gift_card_products/${card}`).json.data.groups).toEqual([{ id: group.slice(8) }]);

  const section = `/sections/${newRecordId(client, 'sections')}`;
  expect(put(section, { tables: [{ id: 'table-3' }] }).tables).toEqual([{ id: 'table-3' }]);
  expect(put(section, { tables: null }).tables).toEqual([]);

  const event = `/timed_events/${existingId(client, 'timed_events')}`;
  expect(put(event, { price_tag: [{ id: 'price-tag-airport' }] }).price_tag).toEqual([
    { id: 'price-tag-airport' },
  ]);
  const events = client.get('/timed_events?filter[price_tag_id]=price-tag-airport').json.data;
  expect(events.map(({ id }: { id: string }) => `/timed_events/${id}`)).toEqual([event]);
});

it("categories update: moves gift card products, and can't leave one without a category", () => {
  const [from, to] = [newRecordId(client, 'categories'), newRecordId(client, 'categories')];
  const card = newRecordId(client, 'gift_card_products');
  const category = () => client.get(`/gift_card_products/${card}`).json.data.category.id;
  expect(put(`/categories/${from}`, { gift_card_products: [{ id: card }] }).status).toBe(200);
  expect(category()).toBe(from);
  expect(put(`/categories/${from}`, { gift_card_products: [] })).toEqual({
    gift_card_products: [expect.stringContaining(card)],
  });
  expect(put(`/categories/${to}`, { gift_card_products: [{ id: card }] }).gift_card_products).toEqual([
    { id: card },
  ]);
  expect(client.get(`/categories/${from}`).json.data.gift_card_products).toEqual([]);
});

it('inventory-items and suppliers update: set links with their data', () => {
  const [dough, bread] = [newRecordId(client, 'inventory_items'), newRecordId(client, 'inventory_items')];
  const levels = { minimum_level: '1', maximum_level: '9', par_level: '5' };
  const item = put(`/inventory_items/${bread}`, {
    branches: [{ id: 'branch-airport', ...levels }],
    ingredients: [{ id: dough, quantity: 250 }],
  });
  expect(item.branches).toEqual([{ id: 'branch-airport', pivot: levels }]);
  expect(item.ingredients).toEqual([{ id: dough, pivot: { quantity: 250, yield_percentage: null } }]);
  const circularMessages = put(`/inventory_items/${dough}`, { ingredients: [{ id: bread }] });
  expect(circularMessages).toEqual({ 'ingredients.0.id': [expect.stringContaining('of itself')] });

  const supplier = `/suppliers/${newRecordId(client, 'suppliers')}`;
  const pivot = { order_unit: 'crate', order_to_storage_factor: 12, cost: 36.5, code: 'X' };
  const { items } = put(supplier, { items: [{ id: bread, ...pivot }] });
  expect(items).toEqual([{ id: bread, pivot: { ...pivot, minimum_order_quantity: null } }]);
  expect(Object.keys(put(supplier, { items: [{ id: dough, cost: 'much' }] }))).toEqual([
    'items.0.order_unit',
    'items.0.order_to_storage_factor',
    'items.0.cost',
  ]);
});

it('update: changes the other updatable fields', () => {
  const user = `/users/${existingId(client, 'users')}`;
  const switches = { display_localized_names: true, must_use_fingerprint: true };
  expect(put(user, switches)).toMatchObject(switches);
  const method = `/payment_methods/${existingId(client, 'payment_methods')}`;
  expect(put(method, { index: 42 }).index).toBe(42);
  const countPath = `/inventory_counts/${newRecordId(client, 'inventory_counts')}`;
  expect(put(countPath, { reference: 'OWN-1' }).reference).toBe('OWN-1');
  const otherPath = `/inventory_counts/${newRecordId(client, 'inventory_counts')}`;
  expect(put(otherPath, { reference: 'OWN-1' })).toEqual({ reference: [expect.stringContaining('taken')] });
});
