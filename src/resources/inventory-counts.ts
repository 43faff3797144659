/** Inventory counts: what is really there, held against what should be. */
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
import { id, writtenAt } from './shared-fields.ts';

export const inventoryCounts = resource({
  path: '/inventory_counts',
  one: 'inventory-count',
  meant: ['counts', 'stocktake'],
  group: 'inventory',
  happens: true,
  announced: true,
  summary: 'What is really there, held against what should be',
  key: ['reference'],
  settled: { status: [2] },
  frozen: ['business_date', 'branch', 'items'],
  known: 'IC-0001',
  columns: ['id', 'reference', 'business_date', 'status', 'branch', 'creator', 'notes'],
  fields: () => ({
    id,
    business_date: businessDate,
    reference: reference.unique().updatable(),
    status: draftOrClosed.required().writable().usually(1).about('Closing it sets the quantities').example(1),
    notes,
    items: many('inventory_items')
      .required()
      .writable()
      .amount('quantity')
      .unitFrom('storage_unit')
      .beside('par_level', 'cost')
      .earlier({
        label: 'last count',
        same: 'branch',
        filters: { status: '2' },
        day: 'business_date',
        difference: {
          when: 'status',
          cost: 'cost',
          // The API has no levels of stock; the variance of a count is null until the service has worked it out.
          remark:
            'What should be in stock the service does not tell before a count is closed: its variance shows it then.',
        },
      })
      .pivot({
        quantity: decimal().required().writable().unit('storage units').about('What was counted').example(24),
        variance_quantity: decimal().nullable().unit('storage units').about('Counted less expected'),
        variance_cost: decimal().nullable().unit('currency').about('What the difference costs'),
        variance_percent: decimal()
          .nullable()
          .unit('percent')
          .about('The difference against what was expected'),
      })
      .about('Items with what was counted'),
    branch,
    poster,
    creator,
    ...writtenAt,
  }),
  filterRules: () => businessDateRules,
  list: { scope: 'inventory.transactions.read', filters: stockFilters },
  get: { scope: 'inventory.transactions.read' },
  create: { scope: 'inventory.transactions.write' },
  update: { scope: 'inventory.transactions.write' },
  delete: { scope: 'inventory.transactions.write' },
});
