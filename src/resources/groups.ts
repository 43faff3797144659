/** Groups: products gathered into menus for a branch, a part of the day or a delivery app. */
import { boolean, ids, many, text } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, nameLocalized, timestamps } from './shared-fields.ts';

export const groups = resource({
  path: '/groups',
  one: 'group',
  group: 'menu',
  summary: 'Menus by branch, time of day or delivery app',
  key: ['name'],
  known: 'Breakfast Menu',
  columns: ['id', 'name', 'name_localized', 'is_active', 'updated_at'],
  fields: () => ({
    id,
    name: name.required().writable().example('Late Night Menu'),
    name_localized: nameLocalized.writable().example('قائمة آخر الليل'),
    image: text().writable().nullable().about('Link to a picture').example('https://example.com/night.jpg'),
    // Only the requests carry it; the field table leaves it out.
    is_active: boolean().writable().usually(true).about('Whether the group is in use').example(true),
    items_index: ids()
      .updatable()
      .about('The ids of its items, in the order they are shown')
      .example(['product-mixed-grill']),
    products: many('products').updatable().includable().about('Products in it'),
    combos: many('combos').updatable().includable().about('Combos in it'),
    subgroups: many('groups').each('subgroup').updatable().includable().about('Groups inside it'),
    gift_card_products: many('gift_card_products')
      .updatable()
      .includable()
      .inverseOf('groups')
      .about('Gift card products in it'),
    ...timestamps,
  }),
  list: { scope: 'general.read', filters: ['id', 'name', 'name_localized', ...dateFilters] },
  get: { scope: 'general.read' },
  create: { scope: 'menu.write' },
  update: { scope: 'menu.write' },
  delete: { scope: 'menu.write' },
  restore: { scope: 'admin.restore' },
});
