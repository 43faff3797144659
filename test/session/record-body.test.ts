import { expect, test } from 'vitest';
import { operation } from '../../src/contract/operation.ts';
import type { Resource } from '../../src/contract/resource.ts';
import { costAdjustments } from '../../src/resources/cost-adjustments.ts';
import { customers } from '../../src/resources/customers.ts';
import { inventoryItems } from '../../src/resources/inventory-items.ts';
import { users } from '../../src/resources/users.ts';
import { bodyFrom } from '../../src/session/record-body.ts';

function body(resource: Resource, record: Record<string, unknown>): unknown {
  const update = operation(resource, 'update');
  return update && bodyFrom(update, record).body;
}

test('a record is converted to the body of an update: relations by id, in the order of the fields', () => {
  const record = {
    id: '1',
    created_at: '2026-01-01 00:00:00',
    tags: [{ id: 't', name: 'Red', pivot: { x: 1 } }],
    category: { id: 'c', name: 'Vegetables' },
    name: 'Tomatoes',
  };
  const found = body(inventoryItems, record);
  expect(found).toEqual({ name: 'Tomatoes', category_id: 'c', tags: [{ id: 't' }] });
  expect(Object.keys(found as object)).toEqual(['name', 'category_id', 'tags']);
});

test('items keep the number of their link', () => {
  const items = [{ id: 'a', pivot: { cost_per_unit: 2.5, previous_cost_per_unit: 2 } }];
  expect(body(costAdjustments, { items })).toEqual({ items: [{ id: 'a', cost_per_unit: 2.5 }] });
});

test('values in another form are converted to the form of requests', () => {
  expect(body(customers, { is_loyalty_enabled: 1, is_blacklisted: '0', house_account_limit: '500' })).toEqual(
    {
      house_account_limit: 500,
      is_loyalty_enabled: true,
      is_blacklisted: false,
    },
  );
  expect(body(inventoryItems, { minimum_level: 5 })).toEqual({ minimum_level: '5' });
  // It would become another number: the check of the body reports it.
  expect(body(customers, { house_account_limit: '19.999999999999999' })).toEqual({
    house_account_limit: '19.999999999999999',
  });
});

test('null is kept if a field can be null, and omitted otherwise', () => {
  expect(body(customers, { email: null, name: null })).toEqual({ email: null });
  expect(body(inventoryItems, { category: null })).toEqual({});
});

test("a requested relation that is missing and can't be null sends nothing; others are unknown", () => {
  const update = operation(inventoryItems, 'update');
  const { unknown } = bodyFrom(update ?? expect.fail(), { name: 'Tomatoes', tags: [] });
  expect(unknown).not.toContain('category_id');
  expect(unknown).toContain('barcode');
});

test('secrets are not repeated', () => {
  expect(body(users, { pin: '****', name: 'Sara' })).toEqual({ name: 'Sara' });
});
