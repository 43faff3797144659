import { expect, test } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { inventoryCounts } from '../../src/api/resources/inventory-counts.ts';
import { suppliers } from '../../src/api/resources/suppliers.ts';
import { users } from '../../src/api/resources/users.ts';
import { whoami } from '../../src/api/resources/whoami.ts';
import { csvColumns } from '../../src/cli/output/columns.ts';

test("columns: plain fields are in the contract's order", () => {
  expect(csvColumns(suppliers, [])).toEqual([
    'id',
    'name',
    'contact_name',
    'phone',
    'email',
    'code',
    'created_at',
    'updated_at',
    'deleted_at',
  ]);
});

test('columns of relations: show the id, or the name if it is included, with the number of the link', () => {
  expect(csvColumns(suppliers, ['tags'])).toEqual(expect.arrayContaining(['tags.id', 'tags.name']));
  expect(csvColumns(inventoryCounts, [])).toEqual(
    expect.arrayContaining(['branch.id', 'items.id', 'items.pivot.quantity']),
  );
});

test('columns of objects: have dotted names', () => {
  expect(csvColumns(whoami, [])).toEqual(expect.arrayContaining(['user.name', 'business.licenses.kds']));
});

test('columns: secrets have none', () => {
  expect(csvColumns(users, ['roles'])).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/pin|password/)]),
  );
});

test('columns: every resource has some, each only once', () => {
  for (const resource of api.collections) {
    const columns = csvColumns(resource, Object.keys(resource.fields));
    expect(columns[0]).toBe('id');
    expect(new Set(columns).size).toBe(columns.length);
  }
});
