/** The resources of the other service for events, stock and loyalty, typed from the API document. */
import type { ResourceData } from './declaration.ts';

const dates = 'updated_after created_on updated_on';
const all = `id name name_localized is_deleted deleted_on ${dates}`;
const named = { name: 'name', name_localized: 'text' } as const;
const tags = { to: 'tags' };
const levels = { minimum_level: 'level', maximum_level: 'level', par_level: 'level' } as const;
const supplied = {
  order_unit: 'text',
  order_to_storage_factor: 'number',
  minimum_order_quantity: 'number',
  cost: 'number',
  code: 'code',
} as const;
// Drafts have no reference, and requests for counts have no day.
const document = { business_date: 'date', reference: 'computed', status: 'choice 1', notes: 'text' } as const;
const branch = { to: 'branches', isOne: true, isRequired: true };
const creator = { to: 'users', isOne: true, isRequired: true };
const poster = { to: 'users', isOne: true };
const documentFilters = `id business_date business_date_after business_date_before reference status branch_id creator_id poster_id ${dates}`;

/** The resources by path. They refer to those for the menu, customers and users. */
export const stockAndLoyalty: Readonly<Record<string, ResourceData>> = {
  timed_events: {
    fields: {
      ...named,
      type: 'choice 6 7',
      value: 'number',
      priority: 'integer',
      is_active: 'boolean',
      from_date: 'date',
      to_date: 'date',
      from_time: 'hour',
      to_time: 'hour',
      is_sat: 'boolean',
      is_sun: 'boolean',
      is_mon: 'boolean',
      is_tue: 'boolean',
      is_wed: 'boolean',
      is_thu: 'boolean',
      is_fri: 'boolean',
      order_types: 'numbers',
    },
    relations: {
      products: { to: 'products' },
      combos: { to: 'combos' },
      branches: { to: 'branches' },
      tags,
      categories: { to: 'categories' },
      price_tag: { to: 'price_tags' },
      customer_tags: { to: 'tags', isShown: true },
    },
    unlisted: { associate_to_all_branches: 'boolean' },
    required: ['name', 'type', 'value', 'from_date', 'to_date', 'from_time', 'to_time', 'order_types'],
    filters: `${all} is_active type products.id tags.id category.id branches.id price_tag_id`,
    deletes: 'softly',
  },
  inventory_item_categories: {
    fields: { ...named, reference: 'unique' },
    relations: { inventory_items: { to: 'inventory_items', inverse: 'category', isShown: true } },
    required: ['name'],
    filters: `${all} reference`,
    deletes: 'softly',
  },
  inventory_items: {
    fields: {
      sku: 'unique',
      barcode: 'code',
      ...named,
      ...levels,
      storage_unit: 'text',
      ingredient_unit: 'text',
      storage_to_ingredient_factor: 'number',
      costing_method: 'choice 1',
      cost: 'number',
      is_product: 'computed',
    },
    relations: {
      category: { to: 'inventory_item_categories', isOne: true },
      tags,
      branches: { to: 'branches', pivot: levels, hasEndpoints: true },
      ingredients: {
        to: 'inventory_items',
        pivot: { quantity: 'number', yield_percentage: 'computed' },
        hasEndpoints: true,
      },
      suppliers: { to: 'suppliers', inverse: 'items' },
    },
    required: [
      'name',
      'sku',
      'storage_unit',
      'ingredient_unit',
      'storage_to_ingredient_factor',
      'costing_method',
    ],
    filters: `${all} sku sku_partial barcode type is_product category_id suppliers.id tags.id costing_method with_ingredients`,
    deletes: 'softly',
  },
  modifiers: {
    fields: { ...named, is_ready: 'boolean', reference: 'unique' },
    relations: { products: { to: 'products' }, options: { to: '' } },
    required: ['name'],
    filters: `${all} reference is_ready with_ingredients`,
    deletes: 'softly',
  },
  suppliers: {
    fields: { name: 'name', contact_name: 'text', phone: 'phone', email: 'email', code: 'unique' },
    relations: { items: { to: 'inventory_items', pivot: supplied, hasEndpoints: true }, tags },
    unlisted: { cc_emails: 'emails' },
    required: ['name'],
    filters: `id name contact_name email phone code tags.id items.id is_deleted deleted_on ${dates}`,
    deletes: 'softly',
  },
  cost_adjustments: {
    fields: document,
    relations: {
      branch,
      creator,
      poster,
      items: {
        to: 'inventory_items',
        pivot: { cost_per_unit: 'number', previous_cost_per_unit: 'computed' },
        isRequired: true,
        isShown: true,
      },
    },
    required: ['status', 'branch_id', 'items'],
    filters: documentFilters,
    deletes: 'kept',
  },
  inventory_counts: {
    fields: { ...document, business_date: 'computed' },
    relations: {
      branch: { ...branch, isShown: true },
      creator: { ...creator, isShown: true },
      poster: { ...poster, isShown: true },
      items: { to: 'inventory_items', pivot: { quantity: 'number' }, isRequired: true, isShown: true },
    },
    required: ['status', 'branch_id', 'items'],
    filters: documentFilters,
    deletes: 'removed',
  },
  transfer_orders: {
    fields: { ...document, reference: 'unique', status: 'choice 1 2' },
    relations: {
      branch: { ...branch, isShown: true },
      creator: { ...creator, isShown: true },
      poster: { ...poster, isRequired: true },
      warehouse: { to: 'warehouses', isOne: true, isRequired: true, isShown: true },
      items: { to: 'inventory_items', pivot: { quantity: 'number' }, isRequired: true, isShown: true },
    },
    unlisted: { decline_reason: 'text' },
    required: ['status', 'branch_id', 'warehouse_id', 'items'],
    filters: `${documentFilters} warehouse_id for_branch_id`,
    deletes: 'removed',
  },
  loyalty_transactions: {
    fields: {
      business_date: 'date',
      amount: 'number',
      redeemable_at: 'time',
      is_redeemed: 'boolean',
      returns: 'computed',
    },
    relations: { customer: { to: 'customers', isOne: true }, order: { to: 'orders', isOne: true } },
    filters: 'customer_id order_id updated_after',
    isReadOnly: true,
  },
  loyalty_rewards: {
    fields: {
      type: 'choice 1 2',
      valid_to: 'date',
      amount: 'number',
      maximum_discount_amount: 'number',
      code: 'unique',
    },
    relations: { customer: { to: 'customers', isOne: true }, order: { to: 'orders', isOne: true } },
    filters: 'customer_id order_id updated_after',
    isReadOnly: true,
  },
};
