/** Suppliers: who inventory items are bought from. */
import { email, many, phone, text } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, timestamps } from './shared-fields.ts';
import { supplierItem } from './supplier-item.ts';
import { tagsFor } from './tag-types.ts';

export const suppliers = resource({
  path: '/suppliers',
  one: 'supplier',
  group: 'inventory',
  summary: 'Companies that inventory items are bought from',
  key: ['code', 'name'],
  known: 'Fresh Farms',
  knownBy: 'name',
  columns: ['id', 'name', 'code', 'contact_name', 'phone', 'email'],
  fields: () => ({
    id,
    name: name.required().writable().example('Coastal Fish'),
    contact_name: text().form('person').writable().searched().about('Who to ask for').example('Yusuf Karam'),
    phone: phone().writable().about('Phone number').example('555000222'),
    email: email().writable().about('Email address').example('orders@coastal.example'),
    code: text().writable().about('A code of your own').example('SUP-90'),
    items: many('inventory_items')
      .updatable()
      .nullable()
      .includable()
      .pivot(supplierItem)
      .about('What is bought from it, and how'),
    tags: tagsFor('supplier').writable().nullable().includable().about('Tags on it'),
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
  // Not admin.restore, as everywhere else: the document says so twice.
  restore: { scope: 'inventory.settings.write' },
  links: {
    item: {
      field: 'items',
      param: 'inventoryItemId',
      scope: 'inventory.settings.write',
      about: 'an item that is bought from the supplier',
    },
  },
});
