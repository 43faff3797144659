/** Suppliers: companies that sell inventory items to the business. */
import { code, email, many, phone, text } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, timestamps } from './shared-fields.ts';
import { supplierItem } from './supplier-item.ts';
import { tagsFor } from './tag-types.ts';

/** The fields, filters and operations of suppliers. */
export const suppliers = resource({
  path: '/suppliers',
  one: 'supplier',
  searchTerms: ['prices', 'vendors'],
  group: 'inventory',
  summary: 'Suppliers of inventory items',
  key: ['code', 'name'],
  exampleKey: 'Fresh Farms',
  exampleKeyField: 'name',
  columns: ['id', 'name', 'code', 'contact_name', 'phone', 'email'],
  fields: () => ({
    id,
    name: name.required().writable().example('Coastal Fish'),
    contact_name: text()
      .form('person')
      .writable()
      .matchesParts()
      .describe('Contact person')
      .example('Yusuf Karam'),
    phone: phone().writable().describe('Phone number').example('555000222'),
    email: email().writable().describe('Email address').example('orders@coastal.example'),
    code: code().writable().describe('Your own code').example('SUP-90'),
    items: many('inventory_items')
      .updatable()
      .nullable()
      .includable()
      .pivot(supplierItem)
      .describe('Inventory items that the supplier sells'),
    tags: tagsFor('supplier').writable().nullable().includable().describe('Tags of the supplier'),
    ...timestamps,
  }),
  list: {
    scope: 'inventory.settings.read',
    filters: ['name', 'contact_name', 'email', 'phone', 'code', 'id', 'tags.id', 'items.id', ...dateFilters],
  },
  get: { scope: 'inventory.settings.read' },
  create: { scope: 'inventory.settings.write' },
  update: { scope: 'inventory.settings.write' },
  delete: { scope: 'inventory.settings.write' },
  // Other resources need admin.restore. The API document says twice that this one needs inventory.settings.write.
  restore: { scope: 'inventory.settings.write' },
  priceLists: {
    link: 'item',
    cost: 'cost',
    code: 'code',
    unit: 'order_unit',
    factor: 'order_to_storage_factor',
    keys: ['barcode', 'sku', 'name'],
    storageUnit: 'storage_unit',
    itemCost: 'cost',
    fixedCost: { field: 'costing_method', value: 1 },
    adjustment: { resource: 'cost_adjustments', items: 'items', cost: 'cost_per_unit' },
  },
  links: {
    item: {
      field: 'items',
      param: 'inventoryItemId',
      scope: 'inventory.settings.write',
      description: 'an item that the supplier sells',
    },
  },
});
