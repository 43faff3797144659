/** Gift card products: prepaid cards that are sold as products and used to pay for orders. */
import { boolean, choice, code, decimal, digits, many, one, text } from '../contract/field.ts';
import { fieldFilter } from '../contract/filter.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, nameLocalized, timestamps } from './shared-fields.ts';
import { tagsFor } from './tag-types.ts';

/** The fields, filters and operations of gift card products. */
export const giftCardProducts = resource({
  path: '/gift_card_products',
  one: 'gift-card-product',
  group: 'menu',
  summary: 'Prepaid gift cards sold as products',
  key: ['sku', 'name'],
  exampleKey: 'GIFT-100',
  columns: ['id', 'sku', 'name', 'name_localized', 'pricing_method', 'price', 'is_active', 'category'],
  fields: () => ({
    id,
    name: name.required().writable().example('Gift Card 250'),
    name_localized: nameLocalized.writable().example('بطاقة هدية ٢٥٠'),
    image: text().writable().nullable().describe('Image URL').example('https://example.com/gift.jpg'),
    sku: code().required().writable().label('SKU').describe('Stock keeping unit').example('GIFT-250'),
    barcode: digits().writable().describe('Barcode').example('6281000000250'),
    pricing_method: choice({ 'fixed price': 1, 'open price': 2 })
      .required()
      .writable()
      .describe('Whether the price is fixed or chosen at the sale')
      .example(1),
    price: decimal().required().writable().unit('currency').describe('Price of the card').example(250),
    is_active: boolean().writable().formDefault(true).describe('Whether the card can be sold').example(true),
    category: one('categories').required().writable().includable().describe('Menu category of the card'),
    branches: many('branches')
      .includable()
      .pivot({
        is_active: boolean().writable().describe('Whether the card is sold in this branch').example(false),
      })
      .describe('Branches with their own settings for the card'),
    tags: tagsFor('product').writable().describe('Tags of the card'),
    groups: many('groups').writable().describe('Groups that contain the card'),
    ...timestamps,
  }),
  filterRules: () => ({
    sku_partial: fieldFilter('sku', 'contains', text().describe('Part of the SKU')),
  }),
  list: {
    scope: 'general.read',
    filters: [
      'id',
      'name',
      'pricing_method',
      'name_localized',
      'category_id',
      'groups.id',
      'tags.id',
      'is_active',
      'sku',
      'sku_partial',
      'barcode',
      ...dateFilters,
    ],
  },
  get: { scope: 'general.read' },
  create: { scope: 'admin.write' },
  update: { scope: 'admin.write' },
  delete: { scope: 'admin.write' },
  restore: { scope: 'admin.restore' },
  links: {
    branch: {
      field: 'branches',
      param: 'branchId',
      scope: 'admin.write',
      description: 'a branch with its own settings for the card',
    },
  },
});
