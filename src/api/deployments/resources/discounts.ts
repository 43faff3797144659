/** Discounts: reductions that cashiers or rules apply to orders. */
import { text } from '../../contract/field.ts';
import { readOnly } from './read-only.ts';

/** The fields and filters of discounts. */
export const discounts = readOnly({
  path: '/discounts',
  one: 'discount',
  group: 'menu',
  summary: 'Discounts on orders',
  key: ['reference'],
  exampleKey: 'Staff Discount',
  fields: () => ({ reference: text().nullable().describe('Your own reference code') }),
});
