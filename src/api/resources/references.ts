/** Records that the API refers to by ID and has no endpoints for. API document: "Fields […] not shown beyond their identifiers". */
import type { Reference } from '../contract/api.ts';

/** The kinds of records without endpoints, each with the ID of an example in the demo business. */
export const references: readonly Reference[] = [
  { name: 'branches', one: 'branch', isNamed: true, exampleId: 'branch-riverside' },
  { name: 'warehouses', one: 'warehouse', isNamed: true, exampleId: 'warehouse-central' },
  { name: 'products', one: 'product', isNamed: true, exampleId: 'product-mixed-grill' },
  { name: 'combos', one: 'combo', isNamed: true, exampleId: 'combo-family-feast' },
  { name: 'discounts', one: 'discount', isNamed: true, exampleId: 'discount-staff' },
  { name: 'price_tags', one: 'price tag', isNamed: true, exampleId: 'price-tag-delivery' },
  { name: 'tables', one: 'table', isNamed: true, exampleId: 'table-1' },
  { name: 'orders', one: 'order', exampleId: 'order-1' },
  { name: 'order_returns', one: 'order return', exampleId: 'order-return-1' },
  { name: 'devices', one: 'device', isNamed: true, exampleId: 'device-till-1' },
];
