/** Records that the API names by id but has no endpoints for; "Fields […] not shown beyond their identifiers". */
import type { Reference } from '../contract/api.ts';

export const references: readonly Reference[] = [
  { name: 'branches', one: 'branch', known: 'branch-riverside' },
  { name: 'warehouses', one: 'warehouse', known: 'warehouse-central' },
  { name: 'products', one: 'product', known: 'product-mixed-grill' },
  { name: 'combos', one: 'combo', known: 'combo-family-feast' },
  { name: 'discounts', one: 'discount', known: 'discount-staff' },
  { name: 'price_tags', one: 'price tag', known: 'price-tag-delivery' },
  { name: 'tables', one: 'table', known: 'table-1' },
  { name: 'orders', one: 'order', known: 'order-1' },
  { name: 'order_returns', one: 'order return', known: 'order-return-1' },
  { name: 'devices', one: 'device', known: 'device-till-1' },
];
