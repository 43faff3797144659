/** Inventory item categories: groups of inventory items. */
import { code, many } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, nameLocalized, timestamps } from './shared-fields.ts';

/** The fields, filters and operations of inventory item categories. */
export const inventoryItemCategories = resource({
  path: '/inventory_item_categories',
  one: 'inventory-item-category',
  alias: 'inventory-categories',
  param: 'inventoryCategoryId',
  group: 'inventory',
  summary: 'Categories of inventory items',
  key: ['reference', 'name'],
  exampleKey: 'Vegetables',
  exampleKeyField: 'name',
  columns: ['id', 'name', 'name_localized', 'reference', 'updated_at'],
  fields: () => ({
    id,
    name: name.required().writable().example('Frozen Goods'),
    name_localized: nameLocalized.writable().example('مجمدات'),
    reference: code().writable().nullable().describe('Your own reference code').example('FROZEN'),
    inventory_items: many('inventory_items')
      .inverseOf('category')
      .describe('Inventory items in the category'),
    ...timestamps,
  }),
  list: {
    scope: 'inventory.settings.read',
    filters: ['name', 'name_localized', 'id', 'reference', ...dateFilters],
  },
  get: { scope: 'inventory.settings.read' },
  create: { scope: 'inventory.settings.write' },
  update: { scope: 'inventory.settings.write' },
  delete: { scope: 'inventory.settings.write' },
  restore: { scope: 'admin.restore' },
});
