/** Tests relations: both sides return them, with the data of the link, in order. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, openClient, startOfTests } from './client.ts';
import { existingId, newRecordId } from './examples.ts';

let now = startOfTests;
let client: Client;
beforeAll(async () => {
  client = await openClient({ machineClock: () => now });
});
afterAll(() => client.sandbox.close());

const read = (path: string) => client.get(path).json.data;

describe('a link with its own path', () => {
  it('is added, changed and removed, and both records return it', () => {
    const [supplier, item] = [newRecordId(client, 'suppliers'), newRecordId(client, 'inventory_items')];
    const target = `/suppliers/${supplier}/items/${item}`;
    const pivot = { order_unit: 'crate', order_to_storage_factor: 12 };
    expect(client.post(target, { ...pivot, cost: 36.5 }).status).toBe(200);
    const completePivot = { ...pivot, minimum_order_quantity: null, cost: 36.5, code: '' };
    expect(read(`/suppliers/${supplier}`).items).toEqual([{ id: item, pivot: completePivot }]);
    expect(read(`/inventory_items/${item}`).suppliers).toEqual([
      { id: supplier, pivot: { inventory_item_id: item, supplier_id: supplier, ...completePivot } },
    ]);
    client.post(target, { ...pivot, code: 'FF-1' });
    expect(read(`/suppliers/${supplier}`).items[0].pivot).toMatchObject({ cost: 36.5, code: 'FF-1' });
    expect(client.delete(target).status).toBe(200);
    expect(client.delete(target).status).toBe(404);
    expect(read(`/inventory_items/${item}`).suppliers).toEqual([]);
  });

  it('requires its required fields', () => {
    const target = `/suppliers/${existingId(client, 'suppliers')}/items/${existingId(client, 'inventory_items')}`;
    expect(Object.keys(client.post(target, { cost: 'much' }).json.errors)).toEqual([
      'order_unit',
      'order_to_storage_factor',
      'cost',
    ]);
    expect(client.post(target.replace(/[^/]+$/, 'none'), { order_unit: 'box' }).status).toBe(404);
  });

  it("can't make an item an ingredient of itself", () => {
    const [dough, bread] = [newRecordId(client, 'inventory_items'), newRecordId(client, 'inventory_items')];
    const link = (item: string, ingredient: string) =>
      client.post(`/inventory_items/${item}/ingredients/${ingredient}`, { quantity: 250 }).status;
    expect(link(bread, dough)).toBe(200);
    expect(link(dough, dough)).toBe(422);
    expect(link(dough, bread)).toBe(422);
  });

  it('stores the data of a link to a branch', () => {
    const item = newRecordId(client, 'inventory_items');
    const levels = { minimum_level: '1', maximum_level: '9', par_level: '5' };
    const { json } = client.post(`/inventory_items/${item}/branches/branch-riverside`, levels);
    expect(json.data.branches).toEqual([{ id: 'branch-riverside', pivot: levels }]);
    const card = newRecordId(client, 'gift_card_products');
    client.post(`/gift_card_products/${card}/branches/branch-airport`, { is_active: false });
    expect(read(`/gift_card_products/${card}`).branches).toEqual([
      { id: 'branch-airport', pivot: { is_active: false } },
    ]);
  });
});

describe('links in a body', () => {
  it('replace all links, in order', () => {
    const [firstTag, secondTag, thirdTag] = [1, 2, 3].map(() => newRecordId(client, 'tags'));
    const id = newRecordId(client, 'customers');
    const tagsOf = () => read(`/customers/${id}`).tags.map((tag: { id: string }) => tag.id);
    client.put(`/customers/${id}`, { tags: [{ id: thirdTag }, { id: firstTag }] });
    expect(tagsOf()).toEqual([thirdTag, firstTag]);
    client.put(`/customers/${id}`, { tags: [{ id: firstTag }, { id: secondTag }, { id: thirdTag }] });
    expect(tagsOf()).toEqual([firstTag, secondTag, thirdTag]);
    client.put(`/customers/${id}`, { name: 'Renamed' });
    expect(tagsOf()).toEqual([firstTag, secondTag, thirdTag]);
    client.put(`/customers/${id}`, { tags: [] });
    expect(tagsOf()).toEqual([]);
  });

  it('can be written from the other side', () => {
    const [role, user] = [newRecordId(client, 'roles'), newRecordId(client, 'users')];
    client.put(`/roles/${role}`, { users: [{ id: user }] });
    expect(read(`/users/${user}`).roles).toEqual([{ id: role }]);
    expect(read(`/roles/${role}`).users).toEqual([{ id: user, pivot: { role_id: role, user_id: user } }]);
    client.put(`/roles/${role}`, { users: null });
    expect(read(`/users/${user}`).roles).toEqual([]);
    const [tax, group] = [newRecordId(client, 'taxes'), newRecordId(client, 'tax_groups')];
    client.put(`/taxes/${tax}`, { tax_groups: [{ id: group }] });
    expect(read(`/taxes/${tax}`).tax_groups[0].pivot).toEqual({ tax_id: tax, tax_group_id: group });
    expect(read(`/tax_groups/${group}`).taxes).toEqual([{ id: tax }]);
  });

  it("keep the link's data if the body doesn't send it", () => {
    const supplier = existingId(client, 'suppliers');
    const before = read(`/suppliers/${supplier}`).items;
    client.put(`/suppliers/${supplier}`, { name: 'Fresh Farms' });
    expect(read(`/suppliers/${supplier}`).items).toEqual(before);
  });
});

describe('a changed link', () => {
  it('updates updated_at of both records if both return the link', () => {
    const [supplier, item, ingredient] = [
      newRecordId(client, 'suppliers'),
      newRecordId(client, 'inventory_items'),
      newRecordId(client, 'inventory_items'),
    ];
    const link = { order_unit: 'box', order_to_storage_factor: 1 };
    const changesUpdatedAt = (path: string, change: () => void) => {
      const before = read(path).updated_at;
      now += 60_000;
      change();
      return read(path).updated_at > before;
    };
    const addLink = () => client.post(`/suppliers/${supplier}/items/${item}`, link);
    expect(changesUpdatedAt(`/suppliers/${supplier}`, addLink)).toBe(true);
    expect(changesUpdatedAt(`/inventory_items/${item}`, addLink)).toBe(true);
    const removeLink = () => client.delete(`/suppliers/${supplier}/items/${item}`);
    expect(changesUpdatedAt(`/inventory_items/${item}`, removeLink)).toBe(true);
    const linkIngredient = () =>
      client.post(`/inventory_items/${item}/ingredients/${ingredient}`, { quantity: 1 });
    expect(changesUpdatedAt(`/inventory_items/${ingredient}`, linkIngredient)).toBe(false);
    expect(changesUpdatedAt(`/inventory_items/${item}`, linkIngredient)).toBe(true);
  });
});

describe('a deleted record', () => {
  it('is omitted from links of other records until it is restored', () => {
    const [customer, tag] = [newRecordId(client, 'customers'), newRecordId(client, 'tags')];
    client.put(`/customers/${customer}`, { tags: [{ id: tag }] });
    client.delete(`/tags/${tag}`);
    expect(read(`/customers/${customer}`).tags).toEqual([]);
    client.put(`/tags/${tag}/restore`);
    expect(read(`/customers/${customer}`).tags).toEqual([{ id: tag }]);
  });

  it('stays in single relations and in lines of stock documents', () => {
    const [categoryId, itemId, countId] = [
      newRecordId(client, 'inventory_item_categories'),
      newRecordId(client, 'inventory_items'),
      newRecordId(client, 'inventory_counts'),
    ];
    client.put(`/inventory_items/${itemId}`, { category_id: categoryId });
    client.put(`/inventory_counts/${countId}`, { items: [{ id: itemId, quantity: 1 }] });
    client.delete(`/inventory_item_categories/${categoryId}`);
    client.delete(`/inventory_items/${itemId}`);
    expect(read(`/inventory_items/${itemId}?include=category`).category.deleted_at).not.toBeNull();
    expect(read(`/inventory_counts/${countId}`).items).toMatchObject([
      { id: itemId, pivot: { quantity: 1 } },
    ]);
  });
});
