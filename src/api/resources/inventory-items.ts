/** Inventory items: ingredients and goods that are stocked and counted. */
import { boolean, code, decimal, digits, many, numericText, one, text, unitName } from '../contract/field.ts';
import { fieldFilter, undocumentedFilter } from '../contract/filter.ts';
import { resource } from '../contract/resource.ts';
import { costingMethod, id, name, nameLocalized, timestamps } from './shared-fields.ts';
import { supplierItem } from './supplier-item.ts';
import { tagsFor } from './tag-types.ts';

/** Stock levels of an item, and of an item in a branch. The API document shows them as numbers in strings. */
const levels = {
  minimum_level: numericText()
    .writable()
    .unit('storage units')
    .unitFrom('storage_unit')
    .askedInForms()
    .describe('Minimum stock level')
    .example('5'),
  maximum_level: numericText()
    .writable()
    .unit('storage units')
    .unitFrom('storage_unit')
    .askedInForms()
    .describe('Maximum stock level')
    .example('60'),
  par_level: numericText()
    .writable()
    .unit('storage units')
    .unitFrom('storage_unit')
    .askedInForms()
    .describe('Target stock level')
    .example('30'),
};

/** The fields, filters and operations of inventory items. */
export const inventoryItems = resource({
  path: '/inventory_items',
  one: 'inventory-item',
  searchTerms: ['items', 'stock', 'inventory', 'recipes', 'ingredients', 'costs'],
  group: 'inventory',
  summary: 'Ingredients and goods in stock',
  key: ['sku', 'name'],
  exampleKey: 'SKU-001',
  columns: ['id', 'sku', 'name', 'storage_unit', 'cost', 'minimum_level', 'par_level', 'category'],
  fields: () => ({
    id,
    sku: code().required().writable().label('SKU').describe('Stock keeping unit').example('SKU-901'),
    barcode: digits().writable().nullable().describe('Barcode').example('6281000009010'),
    name: name.required().writable().example('Cherry Tomatoes'),
    name_localized: nameLocalized.writable().example('طماطم كرزية'),
    ...levels,
    storage_unit: text().required().writable().describe('Unit for storage').example('kg'),
    // The field table says integer and the samples show a unit's name: whole numbers are sent as numbers, others as text.
    ingredient_unit: unitName()
      .required()
      .writable()
      .describe('Unit for recipes: a name or a number')
      .example('g'),
    storage_to_ingredient_factor: decimal()
      .required()
      .writable()
      .unit('ingredient units in one storage unit')
      .describe('Conversion from storage unit to ingredient unit')
      .example(1000),
    costing_method: costingMethod.required().writable().describe('Costing method').example(1),
    cost: decimal()
      .writable()
      .askedInForms()
      .unit('currency for one storage unit')
      .describe('Cost, for items with a fixed cost')
      .example(7.25),
    category: one('inventory_item_categories')
      .writable()
      .includable()
      .askedInForms()
      .warnsIfEmpty()
      .describe('Category of the item'),
    is_product: boolean().describe('Whether the item is also sold as a product'),
    tags: tagsFor('inventory item').writable().includable().describe('Tags of the item'),
    branches: many('branches')
      .updatable()
      .includable()
      .pivot(levels)
      .describe('Branches with their own stock levels'),
    ingredients: many('inventory_items')
      .updatable()
      .includable()
      .itemName('ingredient')
      .amountField('quantity')
      .unitFrom('ingredient_unit')
      .formContext('cost')
      .pivot({
        quantity: decimal()
          .writable()
          .unit('ingredient units')
          .describe('Quantity used in the recipe')
          .example(250),
        yield_percentage: decimal().nullable().unit('percent').describe('Usable share after preparation'),
      })
      .describe('Ingredients that the item is produced from'),
    suppliers: many('suppliers')
      .includable()
      .warnsIfEmpty()
      .inverseOf('items')
      .pivot({
        inventory_item_id: text().repeatsId().describe('Inventory item'),
        supplier_id: text().repeatsId().describe('Supplier'),
        ...supplierItem,
      })
      .describe('Suppliers of the item'),
    ...timestamps,
  }),
  filterRules: () => ({
    sku_partial: fieldFilter('sku', 'contains', text().describe('Part of the SKU')),
    type: undocumentedFilter(text().describe("Item type; the values aren't documented")),
    with_ingredients: fieldFilter(
      'ingredients',
      'any',
      boolean().describe('Whether the item is produced from ingredients'),
    ),
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
      previousCost: 'previous_cost_per_unit',
      day: 'business_date',
      branch: 'branch',
      final: { field: 'status', word: 'closed' },
      currentCost: 'cost',
      unit: 'storage_unit',
      recipes: {
        ingredients: 'ingredients',
        sold: [{ resource: 'modifiers', list: 'options', price: 'price' }],
      },
    },
    levels: {
      documents: 'inventory_counts',
      lines: 'items',
      number: 'quantity',
      day: 'business_date',
      branch: 'branch',
      final: { field: 'status', word: 'closed' },
      minimum: 'minimum_level',
      par: 'par_level',
      maximum: 'maximum_level',
      unit: 'storage_unit',
      branches: 'branches',
      code: 'sku',
      order: {
        ...{ suppliers: 'suppliers', unit: 'order_unit', factor: 'order_to_storage_factor' },
        ...{ minimum: 'minimum_order_quantity', cost: 'cost', code: 'code' },
      },
    },
  },
  links: {
    ingredient: {
      field: 'ingredients',
      param: 'itemId',
      // An item can't be its own ingredient.
      exampleKey: 'SKU-002',
      questions: ['Which item is made?', 'Which ingredient?'],
      scope: 'inventory.settings.write',
      description: 'an ingredient of an inventory item',
    },
    branch: {
      field: 'branches',
      param: 'branchId',
      scope: 'inventory.settings.write',
      description: 'the stock levels of an inventory item at a branch',
    },
  },
});
