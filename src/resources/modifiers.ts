/** Modifiers: the choices that customise a product, each with its options. */
import { boolean, decimal, integer, many, objects, one, text } from '../contract/field.ts';
import { filterOn } from '../contract/filter.ts';
import { resource } from '../contract/resource.ts';
import { costingMethod, dateFilters, id, name, nameLocalized, timestamps } from './shared-fields.ts';

/** The table marks the list of options as updatable, and none of what is in them: all of it can be given with them. */
const option = {
  id: text().writable().about('Given by the service; names an option that is there already'),
  name: text().writable().about('The option’s name').example('Tahini'),
  name_localized: text()
    .writable()
    .nullable()
    .about('The option’s name in the second language')
    .example('طحينة'),
  sku: text().writable().about('Stock keeping unit').example('MOD-SAUCE-1'),
  is_active: boolean().writable().about('Whether it can be chosen').example(true),
  costing_method: costingMethod.writable().about('How its cost is found').example(1),
  price: decimal().writable().unit('currency').about('What it adds to the price').example(2.5),
  cost: decimal().writable().nullable().unit('currency').about('What it costs the business').example(0.75),
  calories: integer().writable().nullable().unit('kilocalories').about('Energy').example(90),
  tax_group: one('tax_groups').writable().includable().about('The taxes on it'),
  products: many('products').writable().about('Products it is offered with'),
  branches: many('branches')
    .writable()
    .pivot({
      price: decimal().writable().nullable().unit('currency').about('The price in this branch').example(3),
      is_active: boolean().writable().about('Whether it can be chosen in this branch').example(true),
      is_in_stock: boolean().writable().about('Whether this branch has it in stock').example(true),
    })
    .about('Branches with values of their own'),
  ingredients: many('inventory_items')
    .writable()
    .pivot({
      quantity: decimal().writable().unit('ingredient units').about('How much goes into it').example(20),
    })
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
    is_ready: boolean().updatable().about('Whether it can be sold').example(true),
    reference: text().updatable().unique().about('A reference of your own').example('MOD-SAUCE'),
    products: many('products').updatable().includable().about('Products it customises'),
    options: objects(option)
      .each('option')
      .updatable()
      .includable()
      .about('What can be chosen; a list replaces the one before, and keeps the options that it names by id')
      .example([{ name: 'Tahini', price: 2.5, is_active: true }]),
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
