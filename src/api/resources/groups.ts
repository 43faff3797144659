/** Groups: menus of products for a branch, a time of day or a delivery app. */
import { boolean, ids, many, text } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, nameLocalized, timestamps } from './shared-fields.ts';

/** The fields, filters and operations of groups. */
export const groups = resource({
  path: '/groups',
  one: 'group',
  group: 'menu',
  summary: 'Menus by branch, time of day or delivery app',
  key: ['name'],
  exampleKey: 'Breakfast Menu',
  columns: ['id', 'name', 'name_localized', 'is_active', 'updated_at'],
  fields: () => ({
    id,
    name: name.required().writable().example('Late Night Menu'),
    name_localized: nameLocalized.writable().example('قائمة آخر الليل'),
    image: text().writable().nullable().describe('Image URL').example('https://example.com/night.jpg'),
    // Only in the requests; the field table omits it.
    is_active: boolean().writable().formDefault(true).describe('Whether the group is active').example(true),
    items_index: ids()
      .updatable()
      .describe('IDs of the items in the group, in display order')
      .example(['product-mixed-grill']),
    products: many('products').updatable().includable().describe('Products in the group'),
    combos: many('combos').updatable().includable().describe('Combos in the group'),
    subgroups: many('groups')
      .itemName('subgroup')
      .updatable()
      .includable()
      .describe('Groups inside the group'),
    gift_card_products: many('gift_card_products')
      .updatable()
      .includable()
      .inverseOf('groups')
      .describe('Gift card products in the group'),
    ...timestamps,
  }),
  list: { scope: 'general.read', filters: ['id', 'name', 'name_localized', ...dateFilters] },
  get: { scope: 'general.read' },
  create: { scope: 'menu.write' },
  update: { scope: 'menu.write' },
  delete: { scope: 'menu.write' },
  restore: { scope: 'admin.restore' },
});
