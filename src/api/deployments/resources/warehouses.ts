/** Warehouses: places that keep goods and sell nothing. */
import { text } from '../../contract/field.ts';
import { readOnly } from './read-only.ts';

/** The fields and filters of warehouses. */
export const warehouses = readOnly({
  path: '/warehouses',
  one: 'warehouse',
  group: 'inventory',
  summary: 'Warehouses that supply the branches',
  key: ['reference'],
  exampleKey: 'Central Warehouse',
  fields: () => ({ reference: text().nullable().describe('Your own reference code') }),
});
