/** Categories: groups of products on the menu. */
import { code, many, text } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, nameLocalized, sortableTimestamps } from './shared-fields.ts';

/** The fields, filters and operations of categories. */
export const categories = resource({
  path: '/categories',
  one: 'category',
  searchTerms: ['menu'],
  group: 'menu',
  summary: 'Menu categories of products and combos',
  key: ['reference', 'name'],
  exampleKey: 'Grills',
  exampleKeyField: 'name',
  columns: ['id', 'name', 'name_localized', 'reference', 'updated_at'],
  fields: () => ({
    id,
    name: name.required().writable().example('Desserts'),
    name_localized: nameLocalized.writable().example('حلويات'),
    reference: code().writable().nullable().unique().describe('Your own reference code').example('CAT-90'),
    image: text().writable().nullable().describe('Image URL').example('https://example.com/desserts.jpg'),
    discounts: many('discounts')
      .writable()
      .includable()
      .describe('Discounts on all products in the category'),
    timed_events: many('timed_events')
      .writable()
      .includable()
      .inverseOf('categories')
      .describe('Timed events that apply to the category'),
    products: many('products').updatable().includable().describe('Products in the category'),
    combos: many('combos').updatable().includable().describe('Combos in the category'),
    // The field table says giftCardProducts; the sample and the responses say gift_card_products.
    gift_card_products: many('gift_card_products')
      .updatable()
      .includable()
      .inverseOf('category')
      .describe('Gift card products in the category'),
    ...sortableTimestamps,
  }),
  list: { scope: 'general.read', filters: ['name', 'name_localized', 'id', 'reference', ...dateFilters] },
  get: { scope: 'general.read' },
  create: { scope: 'menu.write' },
  update: { scope: 'menu.write' },
  delete: { scope: 'menu.write' },
  restore: { scope: 'admin.restore' },
});
