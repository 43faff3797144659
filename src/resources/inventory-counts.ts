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

const body = ['status', 'notes', 'branch_id', 'creator_id', 'poster_id', 'items'] as const;

export const inventoryCounts = resource({
  path: '/inventory_counts',
  one: 'inventory-count',
  group: 'inventory',
  summary: 'What is really there, held against what should be',
  key: ['reference'],
  known: 'IC-0001',
  columns: ['id', 'reference', 'business_date', 'status', 'branch', 'creator', 'notes'],
  fields: {
    id,
    business_date: businessDate,
    // Marked updatable in the field table, though no request lists it.
    reference: reference.updatable(),
    status: draftOrClosed.required().about('Closing it sets the quantities').example(1),
    notes,
    items: many('inventory_items')
      .required()
      .amount('quantity')
      .pivot({
        quantity: decimal().unit('storage units').about('What was counted').example(24),
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
  },
  filterRules: businessDateRules,
  list: { scope: 'inventory.transactions.read', filters: stockFilters },
  get: { scope: 'inventory.transactions.read' },
  create: { scope: 'inventory.transactions.write', body },
  update: { scope: 'inventory.transactions.write', body },
  delete: { scope: 'inventory.transactions.write' },
});
