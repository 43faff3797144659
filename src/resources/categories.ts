/** Categories: how the menu is divided for people who sell from it. */
import { many, text } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, nameLocalized, sortableTimestamps } from './shared-fields.ts';

const body = ['name', 'name_localized', 'reference', 'image', 'discounts', 'timed_events'] as const;

export const categories = resource({
  path: '/categories',
  one: 'category',
  group: 'menu',
  summary: 'Divisions of the menu; orders work without them',
  key: ['reference', 'name'],
  known: 'Grills',
  knownBy: 'name',
  columns: ['id', 'name', 'name_localized', 'reference', 'updated_at'],
  fields: {
    id,
    name: name.required().updatable().example('Desserts'),
    name_localized: nameLocalized.updatable().example('حلويات'),
    reference: text().nullable().updatable().unique().about('A reference of your own').example('CAT-90'),
    image: text()
      .nullable()
      .updatable()
      .about('Link to a picture')
      .example('https://example.com/desserts.jpg'),
    discounts: many('discounts').updatable().includable().about('Discounts on everything in it'),
    timed_events: many('timed_events')
      .updatable()
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
  },
  list: { scope: 'general.read', filters: ['name', 'name_localized', 'id', 'reference', ...dateFilters] },
  get: { scope: 'general.read' },
  create: { scope: 'menu.write', body },
  update: { scope: 'menu.write', body },
  delete: { scope: 'menu.write' },
  restore: { scope: 'admin.restore' },
});
