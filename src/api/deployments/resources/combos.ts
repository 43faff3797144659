/** Combos: products that are sold together. */
import { boolean, text } from '../../contract/field.ts';
import { readOnly } from './read-only.ts';

/** The fields and filters of combos. */
export const combos = readOnly({
  path: '/combos',
  one: 'combo',
  group: 'menu',
  summary: 'Products that are sold together',
  key: ['sku'],
  exampleKey: 'Family Feast',
  fields: () => ({
    sku: text().nullable().label('SKU').describe('Stock keeping unit'),
    is_active: boolean().describe('Whether the combo can be sold'),
  }),
  filters: ['is_active'],
});
