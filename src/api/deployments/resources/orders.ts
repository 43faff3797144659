/** Orders: what customers bought. Services end a list after some pages; later orders are found by their reference. */
import { date, decimal, integer, one, text } from '../../contract/field.ts';
import { fieldFilter } from '../../contract/filter.ts';
import { readOnly } from './read-only.ts';

/** The fields and filters of orders. */
export const orders = readOnly({
  path: '/orders',
  one: 'order',
  group: 'customers',
  summary: 'Orders of customers',
  key: ['reference'],
  isNamed: false,
  exampleKey: '1',
  cursor: { field: 'reference', filter: 'reference_after', maxPages: 10 },
  fields: () => ({
    reference: integer().sortable().describe('Number of the order in the business'),
    number: text().nullable().describe('Number of the order on its day'),
    business_date: date().describe('Business day'),
    status: integer().describe('Status of the order'),
    total_price: decimal().unit('currency').describe('Final price'),
    branch: one('branches').nullable().includable().describe('Branch of the order'),
    customer: one('customers').nullable().includable().describe('Customer of the order'),
  }),
  filterRules: () => ({
    reference_after: fieldFilter('reference', 'after', integer().describe('With a larger reference')),
  }),
  filters: ['business_date', 'status', 'branch_id', 'customer_id', 'reference_after'],
});
