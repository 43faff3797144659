/** Transfer orders: requests of a branch for goods from a warehouse. */
import { choice, decimal, many, one, text } from '../contract/field.ts';
import { fieldFilter } from '../contract/filter.ts';
import { resource } from '../contract/resource.ts';
import { branch, businessDate, businessDateRules, creator, notes, reference } from './inventory-document.ts';
import { createdAndUpdatedAt, id } from './shared-fields.ts';

/** The fields, filters and operations of transfer orders. */
export const transferOrders = resource({
  path: '/transfer_orders',
  one: 'transfer-order',
  searchTerms: ['transfers', 'orders'],
  group: 'inventory',
  transactional: true,
  notifiesUsers: true,
  summary: 'Requests of branches for goods from a warehouse',
  key: ['reference'],
  effectiveWhen: { status: [3, 4, 5] },
  immutableFields: ['business_date', 'branch', 'warehouse', 'items'],
  irreversibleValues: { status: [2] },
  exampleKey: 'TO-0001',
  columns: ['id', 'reference', 'business_date', 'status', 'branch', 'warehouse', 'creator'],
  fields: () => ({
    id,
    business_date: businessDate.writable(),
    reference: reference.writable(),
    notes,
    status: choice({ draft: 1, opened: 2, closed: 3, accepted: 4, declined: 5 })
      .required()
      .writable()
      .formDefault(1)
      .describe('Status; accepting the order moves the goods')
      .example(1),
    items: many('inventory_items')
      .required()
      .writable()
      .amountField('quantity')
      .unitFrom('storage_unit')
      .formContext('par_level', 'cost')
      .previous({ label: 'last order', matchingRelation: 'branch', dateField: 'business_date' })
      .pivot({
        quantity: decimal()
          .required()
          .writable()
          .unit('storage units')
          .describe('Requested quantity')
          .example(10),
      })
      .describe('Inventory items with their requested quantities'),
    branch,
    warehouse: one('warehouses')
      .required()
      .writable()
      .describe('Warehouse that sends the goods')
      .example('warehouse-central'),
    creator,
    // Required here and nullable elsewhere. The default is the user who creates the order.
    poster: one('users')
      .required()
      .writable()
      .defaultsToSignedInUser()
      .includable()
      .describe('User who posted the order'),
    ...createdAndUpdatedAt,
  }),
  filterRules: () => ({
    ...businessDateRules,
    for_branch_id: fieldFilter('branch', 'equals', text().describe('Branch that the order is for')),
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
  // The API document lists no scope.
  delete: { scope: [] },
});
