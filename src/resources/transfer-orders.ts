/** Transfer orders: goods that a branch asks a warehouse for. */
import { choice, decimal, many, one, text } from '../contract/field.ts';
import { filterOn } from '../contract/filter.ts';
import { resource } from '../contract/resource.ts';
import { branch, businessDate, businessDateRules, creator, notes, reference } from './inventory-document.ts';
import { id, writtenAt } from './shared-fields.ts';

export const transferOrders = resource({
  path: '/transfer_orders',
  one: 'transfer-order',
  meant: ['transfers', 'orders'],
  group: 'inventory',
  happens: true,
  announced: true,
  summary: 'Goods that a branch asks a warehouse for',
  key: ['reference'],
  settled: { status: [3, 4, 5] },
  frozen: ['business_date', 'branch', 'warehouse', 'items'],
  oneWay: { status: [2] },
  known: 'TO-0001',
  columns: ['id', 'reference', 'business_date', 'status', 'branch', 'warehouse', 'creator'],
  fields: () => ({
    id,
    business_date: businessDate.writable(),
    reference: reference.writable(),
    notes,
    status: choice({ draft: 1, opened: 2, closed: 3, accepted: 4, declined: 5 })
      .required()
      .writable()
      .usually(1)
      .about('How far it has come; accepting it moves the goods')
      .example(1),
    items: many('inventory_items')
      .required()
      .writable()
      .amount('quantity')
      .unitFrom('storage_unit')
      .beside('par_level', 'cost')
      .earlier({ label: 'last order', same: 'branch', day: 'business_date' })
      .pivot({
        quantity: decimal()
          .required()
          .writable()
          .unit('storage units')
          .about('How much is asked for')
          .example(10),
      })
      .about('Items with how much is asked for'),
    branch,
    warehouse: one('warehouses')
      .required()
      .writable()
      .about('The warehouse that is asked')
      .example('warehouse-central'),
    creator,
    // Required here and nullable elsewhere; who makes the order posts it, unless somebody else is named.
    poster: one('users').required().writable().defaultsToSignedInUser().includable().about('Who posted it'),
    ...writtenAt,
  }),
  filterRules: () => ({
    ...businessDateRules,
    for_branch_id: filterOn('branch', 'equals', text().about('Meant for this branch')),
  }),
  list: {
    scope: 'inventory.transactions.read',
    filters: [
      'id',
      'business_date',
      'reference',
      'status',
      'branch_id',
      'warehouse_id',
      'creator_id',
      'poster_id',
      'business_date_after',
      'business_date_before',
      'updated_after',
      'for_branch_id',
      'created_on',
      'updated_on',
    ],
  },
  get: { scope: 'inventory.transactions.read' },
  create: { scope: 'inventory.transactions.write' },
  update: { scope: 'inventory.transactions.write' },
  // Scope not shown.
  delete: { scope: [] },
});
