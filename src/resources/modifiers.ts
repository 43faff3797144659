/** Modifiers: the choices that customise a product, each with its options. */
import { boolean, decimal, integer, many, objects, one, text } from '../contract/field.ts';
import { filterOn } from '../contract/filter.ts';
import { resource } from '../contract/resource.ts';
import { costingMethod, dateFilters, id, name, nameLocalized, timestamps } from './shared-fields.ts';

const option = {
  id,
  name: text().about('The option’s name'),
  name_localized: text().nullable().about('The option’s name in the second language'),
  sku: text().about('Stock keeping unit'),
  is_active: boolean().about('Whether it can be chosen'),
  costing_method: costingMethod.about('How its cost is found'),
  price: decimal().unit('currency').about('What it adds to the price'),
  cost: decimal().nullable().unit('currency').about('What it costs the business'),
  calories: integer().nullable().unit('kilocalories').about('Energy'),
  tax_group: one('tax_groups').includable().about('The taxes on it'),
  products: many('products').about('Products it is offered with'),
  branches: many('branches')
    .pivot({
      price: decimal().nullable().unit('currency').about('The price in this branch'),
      is_active: boolean().about('Whether it can be chosen in this branch'),
      is_in_stock: boolean().about('Whether this branch has it in stock'),
    })
    .about('Branches with values of their own'),
  ingredients: many('inventory_items')
    .pivot({ quantity: decimal().unit('ingredient units').about('How much goes into it') })
    .about('What it is made of'),
};

export const modifiers = resource({
  path: '/modifiers',
  one: 'modifier',
  group: 'menu',
  summary: 'Choices that customise a product',
  key: ['reference', 'name'],
  known: 'Choice of Bread',
  knownBy: 'name',
  columns: ['id', 'name', 'name_localized', 'reference', 'is_ready', 'updated_at'],
  fields: () => ({
    id,
    name: name.required().writable().example('Choice of Sauce'),
    name_localized: nameLocalized.writable().example('اختيار الصلصة'),
    is_ready: boolean().about('Whether it can be sold'),
    reference: text().unique().about('A reference of your own'),
    products: many('products').includable().about('Products it customises'),
    options: objects(option).includable().about('What can be chosen'),
    ...timestamps,
  }),
  filterRules: () => ({
    with_ingredients: filterOn(
      'options.ingredients',
      'any',
      boolean().about('Has options made of ingredients'),
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
