import { expect, test } from 'vitest';
import { bodyFrom } from '../../src/account/session/record-body.ts';
import { operation } from '../../src/api/contract/operation.ts';
import type { Resource } from '../../src/api/contract/resource.ts';
import { costAdjustments } from '../../src/api/resources/cost-adjustments.ts';
import { customers } from '../../src/api/resources/customers.ts';
import { inventoryItems } from '../../src/api/resources/inventory-items.ts';
import { users } from '../../src/api/resources/users.ts';

function updateBody(resource: Resource, record: Record<string, unknown>): unknown {
  const update = operation(resource, 'update');
  return update && bodyFrom(update, record).body;
}

test('bodyFrom: converts relations to IDs, in the order of the fields', () => {
  const record = {
    id: '1',
    created_at: '2026-01-01 00:00:00',
    tags: [{ id: 't', name: 'Red', pivot: { x: 1 } }],
    category: { id: 'c', name: 'Vegetables' },
    name: 'Tomatoes',
  };
  const body = updateBody(inventoryItems, record);
  expect(body).toEqual({ name: 'Tomatoes', category_id: 'c', tags: [{ id: 't' }] });
  expect(Object.keys(body as object)).toEqual(['name', 'category_id', 'tags']);
});

test('bodyFrom: keeps the writable number of a link', () => {
  const items = [{ id: 'a', pivot: { cost_per_unit: 2.5, previous_cost_per_unit: 2 } }];
  expect(updateBody(costAdjustments, { items })).toEqual({ items: [{ id: 'a', cost_per_unit: 2.5 }] });
});

test('bodyFrom: converts numbers and booleans to the format of requests, unless digits would be lost', () => {
  expect(
    updateBody(customers, { is_loyalty_enabled: 1, is_blacklisted: '0', house_account_limit: '500' }),
  ).toEqual({
    house_account_limit: 500,
    is_loyalty_enabled: true,
    is_blacklisted: false,
  });
  expect(updateBody(inventoryItems, { minimum_level: 5 })).toEqual({ minimum_level: '5' });
  // As a number it would lose digits. Validation of the body reports it.
  expect(updateBody(customers, { house_account_limit: '19.999999999999999' })).toEqual({
    house_account_limit: '19.999999999999999',
  });
});

test('bodyFrom: keeps null for nullable fields and omits other empty fields', () => {
  expect(updateBody(customers, { email: null, name: null })).toEqual({ email: null });
  expect(updateBody(inventoryItems, { category: null })).toEqual({});
});

test('bodyFrom: a missing required relation is not unknown, but a missing plain field is', () => {
  const update = operation(inventoryItems, 'update');
  const { unknown } = bodyFrom(update ?? expect.fail(), { name: 'Tomatoes', tags: [] });
  expect(unknown).not.toContain('category_id');
  expect(unknown).toContain('barcode');
});

test('bodyFrom: omits secrets', () => {
  expect(updateBody(users, { pin: '****', name: 'Sara' })).toEqual({ name: 'Sara' });
});
