/** Suppliers: who inventory items are bought from. */
import { many, text } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, timestamps } from './shared-fields.ts';
import { supplierItem } from './supplier-item.ts';

const body = ['name', 'contact_name', 'phone', 'email', 'code', 'tags'] as const;

export const suppliers = resource({
  path: '/suppliers',
  one: 'supplier',
  group: 'inventory',
  summary: 'Companies that inventory items are bought from',
  key: ['code', 'name'],
  known: 'Fresh Farms',
  knownBy: 'name',
  columns: ['id', 'name', 'code', 'contact_name', 'phone', 'email'],
  fields: {
    id,
    name: name.required().updatable().example('Coastal Fish'),
    contact_name: text().searched().updatable().about('Who to ask for').example('Yusuf Karam'),
    phone: text().updatable().about('Phone number').example('555000222'),
    email: text().updatable().about('Email address').example('orders@coastal.example'),
    code: text().updatable().unique().about('A code of your own').example('SUP-90'),
    items: many('inventory_items')
      .nullable()
      .updatable()
      .includable()
      .pivot(supplierItem)
      .about('What is bought from it, and how'),
    tags: many('tags').nullable().updatable().includable().about('Tags on it'),
    ...timestamps,
  },
  list: {
    scope: 'inventory.settings.read',
    filters: ['name', 'contact_name', 'email', 'phone', 'code', 'id', 'tags.id', 'items.id', ...dateFilters],
  },
  get: { scope: 'inventory.settings.read' },
  create: { scope: 'inventory.settings.write', body },
  update: { scope: 'inventory.settings.write', body },
  delete: { scope: 'inventory.settings.write' },
  // Not admin.restore, as everywhere else: the document says so twice.
  restore: { scope: 'inventory.settings.write' },
  links: {
    item: {
      field: 'items',
      param: 'inventoryItemId',
      scope: 'inventory.settings.write',
      about: 'an item that is bought from the supplier',
      body: ['order_unit', 'order_to_storage_factor', 'minimum_order_quantity', 'cost', 'code'],
    },
  },
});
