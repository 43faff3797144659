/** Cost adjustments: documents that change the cost of inventory items. */
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
import { id, timestamps } from './shared-fields.ts';

/** The fields, filters and operations of cost adjustments. */
export const costAdjustments = resource({
  path: '/cost_adjustments',
  one: 'cost-adjustment',
  group: 'inventory',
  transactional: true,
  notifiesUsers: true,
  summary: 'Cost adjustments of inventory items',
  key: ['reference'],
  effectiveWhen: { status: [2] },
  immutableFields: ['business_date', 'branch', 'items'],
  exampleKey: 'CA-0001',
  columns: ['id', 'reference', 'business_date', 'status', 'branch', 'creator', 'notes'],
  fields: () => ({
    id,
    business_date: businessDate.writable(),
    reference: reference.unique(),
    status: draftOrClosed
      .required()
      .writable()
      .formDefault(1)
      .describe('Status; closing the adjustment applies the new costs')
      .example(1),
    notes,
    creator: creator.includable(),
    poster: poster.includable(),
    branch: branch.includable(),
    items: many('inventory_items')
      .required()
      .writable()
      .amountField('cost_per_unit')
      .formContext('storage_unit', 'cost')
      .replaces('cost')
      .pivot({
        cost_per_unit: decimal()
          .required()
          .writable()
          .unit('currency for one storage unit')
          .describe('New cost')
          .example(7.5),
        previous_cost_per_unit: decimal()
          .nullable()
          .unit('currency for one storage unit')
          .describe('Cost before the adjustment'),
      })
      .describe('Inventory items with their new costs'),
    ...timestamps,
  }),
  filterRules: () => businessDateRules,
  list: { scope: 'inventory.transactions.read', filters: stockFilters },
  get: { scope: 'inventory.transactions.read' },
  create: { scope: 'inventory.transactions.write' },
  update: { scope: 'inventory.transactions.write' },
  delete: { scope: 'inventory.transactions.write' },
});
