/** Modifiers: choices for a product, each with a list of options. */
import { boolean, code, decimal, integer, many, objects, one, text } from '../contract/field.ts';
import { fieldFilter } from '../contract/filter.ts';
import { resource } from '../contract/resource.ts';
import { costingMethod, dateFilters, id, name, nameLocalized, timestamps } from './shared-fields.ts';

/** Fields of an option. The field table marks the list as updatable and not the fields in it; requests may contain all of them. */
const option = {
  id: text().writable().describe('ID of an existing option, assigned by the service'),
  name: text().writable().describe('Option name').example('Tahini'),
  name_localized: text()
    .writable()
    .nullable()
    .describe('Option name in the second language')
    .example('طحينة'),
  sku: code().writable().describe('Stock keeping unit').example('MOD-SAUCE-1'),
  is_active: boolean().writable().describe('Whether the option can be chosen').example(true),
  costing_method: costingMethod.writable().describe('Costing method').example(1),
  price: decimal().writable().unit('currency').describe('Price added to the product').example(2.5),
  cost: decimal().writable().nullable().unit('currency').describe('Cost of the option').example(0.75),
  calories: integer().writable().nullable().unit('kilocalories').describe('Energy content').example(90),
  tax_group: one('tax_groups').writable().includable().describe('Tax group of the option'),
  products: many('products').writable().describe('Products that offer the option'),
  branches: many('branches')
    .writable()
    .pivot({
      price: decimal().writable().nullable().unit('currency').describe('Price in this branch').example(3),
      is_active: boolean()
        .writable()
        .describe('Whether the option can be chosen in this branch')
        .example(true),
      is_in_stock: boolean()
        .writable()
        .describe('Whether the option is in stock in this branch')
        .example(true),
    })
    .describe('Branches with their own price or availability'),
  ingredients: many('inventory_items')
    .writable()
    .pivot({
      quantity: decimal()
        .writable()
        .unit('ingredient units')
        .describe('Quantity used in the option')
        .example(20),
    })
    .describe('Ingredients of the option'),
};

/** The fields, filters and operations of modifiers. */
export const modifiers = resource({
  path: '/modifiers',
  one: 'modifier',
  group: 'menu',
  summary: 'Product modifiers and their options',
  key: ['reference', 'name'],
  exampleKey: 'Choice of Bread',
  exampleKeyField: 'name',
  columns: ['id', 'name', 'name_localized', 'reference', 'is_ready', 'updated_at'],
  fields: () => ({
    id,
    name: name.required().writable().example('Choice of Sauce'),
    name_localized: nameLocalized.writable().example('اختيار الصلصة'),
    is_ready: boolean().updatable().describe('Whether the modifier can be sold').example(true),
    reference: code().updatable().unique().describe('Your own reference code').example('MOD-SAUCE'),
    products: many('products').updatable().includable().describe('Products that use the modifier'),
    options: objects(option)
      .itemName('option')
      .updatable()
      .includable()
      .describe('Options of the modifier. A new list replaces the old one; options with an ID are kept.')
      .example([{ name: 'Tahini', price: 2.5, is_active: true }]),
    ...timestamps,
  }),
  filterRules: () => ({
    with_ingredients: fieldFilter(
      'options.ingredients',
      'any',
      boolean().describe('Whether any option has ingredients'),
    ),
  }),
  list: {
    scope: 'general.read',
    filters: ['id', 'name', 'name_localized', 'reference', 'is_ready', 'with_ingredients', ...dateFilters],
  },
  get: { scope: 'general.read' },
  create: { scope: 'menu.write' },
  update: { scope: 'menu.write' },
  delete: { scope: 'menu.write' },
  restore: { scope: 'admin.restore' },
});
