/** Products: what the business sells. */
import { boolean, decimal, one, text } from '../../contract/field.ts';
import { readOnly } from './read-only.ts';

/** The fields and filters of products. */
export const products = readOnly({
  path: '/products',
  one: 'product',
  group: 'menu',
  summary: 'Products on the menu',
  key: ['sku'],
  exampleKey: 'Mixed Grill',
  fields: () => ({
    sku: text().nullable().label('SKU').describe('Stock keeping unit'),
    price: decimal().nullable().unit('currency').describe('Price'),
    is_active: boolean().describe('Whether the product can be sold'),
    category: one('categories').nullable().includable().describe('Menu category'),
  }),
  filters: ['is_active', 'category_id'],
});
