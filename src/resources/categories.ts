/** Categories: how the menu is divided for people who sell from it. */
import { many, text } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, nameLocalized, sortableTimestamps } from './shared-fields.ts';

export const categories = resource({
  path: '/categories',
  one: 'category',
  group: 'menu',
  summary: 'Divisions of the menu; orders work without them',
  key: ['reference', 'name'],
  known: 'Grills',
  knownBy: 'name',
  columns: ['id', 'name', 'name_localized', 'reference', 'updated_at'],
  fields: () => ({
    id,
    name: name.required().writable().example('Desserts'),
    name_localized: nameLocalized.writable().example('حلويات'),
    reference: text().writable().nullable().unique().about('A reference of your own').example('CAT-90'),
    image: text()
      .writable()
      .nullable()
      .about('Link to a picture')
      .example('https://example.com/desserts.jpg'),
    discounts: many('discounts').writable().includable().about('Discounts on everything in it'),
    timed_events: many('timed_events')
      .writable()
      .includable()
      .inverseOf('categories')
      .about('Timed events on it'),
    products: many('products').updatable().includable().about('Products in it'),
    combos: many('combos').updatable().includable().about('Combos in it'),
    // The field table says giftCardProducts; the sample and the responses say gift_card_products.
    gift_card_products: many('gift_card_products')
      .updatable()
      .includable()
      .inverseOf('category')
      .about('Gift card products in it'),
    ...sortableTimestamps,
  }),
  list: { scope: 'general.read', filters: ['name', 'name_localized', 'id', 'reference', ...dateFilters] },
  get: { scope: 'general.read' },
  create: { scope: 'menu.write' },
  update: { scope: 'menu.write' },
  delete: { scope: 'menu.write' },
  restore: { scope: 'admin.restore' },
});
