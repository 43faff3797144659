/** Inventory items: what is stored, counted and cooked with. */
import { boolean, decimal, digits, many, numericText, one, text, unitName } from '../contract/field.ts';
import { filterOn, filterUnknown } from '../contract/filter.ts';
import { resource } from '../contract/resource.ts';
import { costingMethod, id, name, nameLocalized, timestamps } from './shared-fields.ts';
import { supplierItem } from './supplier-item.ts';
import { tagsFor } from './tag-types.ts';

/** Numbers in strings, as the document has them; the same three hold for the item and for a branch. */
const levels = {
  minimum_level: numericText()
    .writable()
    .unit('storage units')
    .unitFrom('storage_unit')
    .asked()
    .about('Below this it runs short')
    .example('5'),
  maximum_level: numericText()
    .writable()
    .unit('storage units')
    .unitFrom('storage_unit')
    .asked()
    .about('Above this there is too much')
    .example('60'),
  par_level: numericText()
    .writable()
    .unit('storage units')
    .unitFrom('storage_unit')
    .asked()
    .about('What should be there')
    .example('30'),
};

export const inventoryItems = resource({
  path: '/inventory_items',
  one: 'inventory-item',
  meant: ['items', 'stock', 'inventory'],
  group: 'inventory',
  summary: 'What is stored, counted and cooked with',
  key: ['sku', 'name'],
  known: 'SKU-001',
  columns: ['id', 'sku', 'name', 'storage_unit', 'cost', 'minimum_level', 'par_level', 'category'],
  fields: () => ({
    id,
    sku: text().required().writable().label('SKU').about('Stock keeping unit').example('SKU-901'),
    barcode: digits().writable().nullable().about('Barcode').example('6281000009010'),
    name: name.required().writable().example('Cherry Tomatoes'),
    name_localized: nameLocalized.writable().example('طماطم كرزية'),
    ...levels,
    storage_unit: text().required().writable().about('The unit it is stored in').example('kg'),
    // An integer in the field table, a unit's name in the samples: a whole number is sent as a number, all else as text.
    ingredient_unit: unitName()
      .required()
      .writable()
      .about('The unit it is cooked with: a name, or a number')
      .example('g'),
    storage_to_ingredient_factor: decimal()
      .required()
      .writable()
      .unit('ingredient units in one storage unit')
      .about('How the two units convert')
      .example(1000),
    costing_method: costingMethod.required().writable().about('How its cost is found').example(1),
    cost: decimal()
      .writable()
      .asked()
      .unit('currency for one storage unit')
      .about('Its cost, where that is fixed')
      .example(7.25),
    category: one('inventory_item_categories').writable().includable().asked().vital().about('Its category'),
    is_product: boolean().about('Whether it is sold as it is'),
    tags: tagsFor('inventory item').writable().includable().about('Tags on it'),
    branches: many('branches')
      .updatable()
      .includable()
      .pivot(levels)
      .about('Branches with levels of their own'),
    ingredients: many('inventory_items')
      .updatable()
      .includable()
      .each('ingredient')
      .amount('quantity')
      .unitFrom('ingredient_unit')
      .beside('cost')
      .pivot({
        quantity: decimal().writable().unit('ingredient units').about('How much of it goes in').example(250),
        yield_percentage: decimal().nullable().unit('percent').about('How much of it is left to use'),
      })
      .about('What it is produced from'),
    suppliers: many('suppliers')
      .includable()
      .vital()
      .inverseOf('items')
      .pivot({
        inventory_item_id: text().repeatsId().about('The item'),
        supplier_id: text().repeatsId().about('The supplier'),
        ...supplierItem,
      })
      .about('Who supplies it'),
    ...timestamps,
  }),
  filterRules: () => ({
    sku_partial: filterOn('sku', 'contains', text().about('Part of the sku')),
    type: filterUnknown(text().about('Its type; the values are not documented')),
    with_ingredients: filterOn('ingredients', 'any', boolean().about('Is produced from ingredients')),
  }),
  list: {
    scope: 'inventory.settings.read',
    filters: [
      'name',
      'name_localized',
      'id',
      'sku',
      'sku_partial',
      'barcode',
      'type',
      'is_product',
      'category_id',
      'suppliers.id',
      'tags.id',
      'costing_method',
      'updated_after',
      'is_deleted',
      'with_ingredients',
      'created_on',
      'updated_on',
      'deleted_on',
    ],
  },
  get: { scope: 'inventory.settings.read' },
  create: { scope: 'inventory.settings.write' },
  update: { scope: 'inventory.settings.write' },
  delete: { scope: 'inventory.settings.write' },
  restore: { scope: 'admin.restore' },
  pictures: {
    costs: {
      documents: 'cost_adjustments',
      lines: 'items',
      number: 'cost_per_unit',
      before: 'previous_cost_per_unit',
      day: 'business_date',
      place: 'branch',
      done: { field: 'status', is: 'closed' },
      now: 'cost',
      unit: 'storage_unit',
    },
    levels: {
      documents: 'inventory_counts',
      lines: 'items',
      number: 'quantity',
      day: 'business_date',
      place: 'branch',
      done: { field: 'status', is: 'closed' },
      minimum: 'minimum_level',
      par: 'par_level',
      maximum: 'maximum_level',
      unit: 'storage_unit',
      branches: 'branches',
      code: 'sku',
    },
  },
  links: {
    ingredient: {
      field: 'ingredients',
      param: 'itemId',
      // No item is made of itself.
      known: 'SKU-002',
      scope: 'inventory.settings.write',
      about: 'an ingredient that the item is produced from',
    },
    branch: {
      field: 'branches',
      param: 'branchId',
      scope: 'inventory.settings.write',
      about: 'a branch with levels of its own',
    },
  },
});
