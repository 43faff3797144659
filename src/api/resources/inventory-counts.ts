/** Inventory counts: stock counts with counted and expected quantities. */
import { decimal, many } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import {
  branch,
  businessDate,
  businessDateRules,
  creator,
  draftOrClosed,
  notes,
  poster,
  reference,
  stockFilters,
} from './inventory-document.ts';
import { createdAndUpdatedAt, id } from './shared-fields.ts';

/** The fields, filters and operations of inventory counts. */
export const inventoryCounts = resource({
  path: '/inventory_counts',
  one: 'inventory-count',
  searchTerms: ['counts', 'stocktake'],
  group: 'inventory',
  transactional: true,
  notifiesUsers: true,
  summary: 'Stock counts: counted and expected quantities',
  key: ['reference'],
  effectiveWhen: { status: [2] },
  immutableFields: ['business_date', 'branch', 'items'],
  exampleKey: 'IC-0001',
  columns: ['id', 'reference', 'business_date', 'status', 'branch', 'creator', 'notes'],
  fields: () => ({
    id,
    business_date: businessDate,
    reference: reference.unique().updatable(),
    status: draftOrClosed
      .required()
      .writable()
      .formDefault(1)
      .describe('Status; closing the count updates the stock quantities')
      .example(1),
    notes,
    items: many('inventory_items')
      .required()
      .writable()
      .amountField('quantity')
      .unitFrom('storage_unit')
      .formContext('par_level', 'cost')
      .previous({
        label: 'last count',
        matchingRelation: 'branch',
        filters: { status: '2' },
        dateField: 'business_date',
        difference: {
          costField: 'cost',
          // The API has no stock levels. The variance of a count is null until the service has computed it.
          note: 'The service computes expected quantities when a count is closed; its variance shows them.',
        },
      })
      .pivot({
        quantity: decimal()
          .required()
          .writable()
          .unit('storage units')
          .describe('Counted quantity')
          .example(24),
        variance_quantity: decimal()
          .nullable()
          .unit('storage units')
          .describe('Counted minus expected quantity'),
        variance_cost: decimal().nullable().unit('currency').describe('Cost of the difference'),
        variance_percent: decimal()
          .nullable()
          .unit('percent')
          .describe('Difference as a share of the expected quantity'),
      })
      .describe('Inventory items with their counted quantities'),
    branch,
    poster,
    creator,
    ...createdAndUpdatedAt,
  }),
  pictures: {
    variance: {
      ...{
        lines: 'items',
        quantity: 'variance_quantity',
        money: 'variance_cost',
        percent: 'variance_percent',
      },
      ...{ day: 'business_date', branch: 'branch' },
    },
  },
  filterRules: () => businessDateRules,
  list: { scope: 'inventory.transactions.read', filters: stockFilters },
  get: { scope: 'inventory.transactions.read' },
  create: { scope: 'inventory.transactions.write' },
  update: { scope: 'inventory.transactions.write' },
  delete: { scope: 'inventory.transactions.write' },
});
