/** Records that the API refers to by id and has no endpoints for. Document: "Fields […] not shown beyond their identifiers". */
import type { Reference } from '../contract/api.ts';

/** The kinds of records without endpoints, each with the id of an example in the demo business. */
export const references: readonly Reference[] = [
  { name: 'branches', one: 'branch', isNamed: true, known: 'branch-riverside' },
  { name: 'warehouses', one: 'warehouse', isNamed: true, known: 'warehouse-central' },
  { name: 'products', one: 'product', isNamed: true, known: 'product-mixed-grill' },
  { name: 'combos', one: 'combo', isNamed: true, known: 'combo-family-feast' },
  { name: 'discounts', one: 'discount', isNamed: true, known: 'discount-staff' },
  { name: 'price_tags', one: 'price tag', isNamed: true, known: 'price-tag-delivery' },
  { name: 'tables', one: 'table', isNamed: true, known: 'table-1' },
  { name: 'orders', one: 'order', known: 'order-1' },
  { name: 'order_returns', one: 'order return', known: 'order-return-1' },
  { name: 'devices', one: 'device', isNamed: true, known: 'device-till-1' },
];
