/**
 * The preset for Foodics v5. Its values are collected from public integrations and recorded responses, and not
 * tested against the live service. Settings, flags and variants replace each of them.
 */
import { boolean, ids, integers, many, text, timestamp } from '../contract/field.ts';
import { fieldFilter } from '../contract/filter.ts';
import type { ResourceExtension } from '../contract/resource.ts';
import type { Deployment } from './deployment.ts';

/** Foodics v5. */
export const foodicsV5: Deployment = {
  name: 'foodics-v5',
  title: 'Foodics v5',
  summary: 'Collected from public integrations, not tested against the live service.',
  addresses: [
    {
      name: 'live',
      base_url: 'https://api.foodics.com',
      authorize_url: 'https://console.foodics.com/authorize',
    },
    {
      name: 'test',
      base_url: 'https://api-sandbox.foodics.com',
      authorize_url: 'https://console-sandbox.foodics.com/authorize',
    },
  ],
  settings: { api_prefix: '/v5', 'wire.redeem_method': 'PUT', 'wire.put': 'merge' },
  variant: {
    'wire.listed': 'all',
    'wire.relations': 'absent',
    'wire.parts': 'single',
    'wire.redeem_method': 'PUT',
    'wire.page_links': 'shown',
    'wire.requests_per_minute': 90,
    'wire.blocks': 'on',
    'wire.business_settings': 'served',
    'wire.values': 'any',
    'wire.scalars': 'mixed',
  },
  sorts: ['name', 'reference', 'code', 'sku', 'business_date', 'last_order_at', 'created_at', 'updated_at'],
  resources: {
    customers: { fields: () => ({ notes: text().writable().describe('Notes') }) },
    users: {
      fields: () => ({
        last_console_login_at: timestamp().nullable().describe('When the user last signed in to the console'),
      }),
    },
    roles: { words: { authorities: ['orders:manage', 'po:approved:receive'] } },
    categories: { fields: () => menuFields },
    groups: { fields: () => ({ inactive_in_order_types: menuFields.inactive_in_order_types }) },
    gift_card_products: { includes: ['tags', 'groups'] },
    payment_methods: { numbers: { type: { 'type 8': 8 } } },
    tax_groups: { fields: () => ({ reference: text().writable().describe('Your own reference code') }) },
    tags: { numbers: { type: { 'type 8': 8 } } },
    timed_events: {
      numbers: { type: { 'type 8': 8 } },
      includes: ['customer_tags'],
      fields: () => ({
        associate_to_all_branches: boolean().writable().describe('Whether the event applies in all branches'),
      }),
      filterRules: () => ({
        'categories.id': fieldFilter(
          'categories',
          'equals',
          many('categories').describe('Category that the event applies to'),
        ),
      }),
    },
    inventory_item_categories: { includes: ['inventory_items'] },
    suppliers: {
      fields: () => ({ cc_emails: ids().writable().describe('Email addresses that get copies of orders') }),
    },
    cost_adjustments: { includes: ['items', 'branch', 'creator', 'poster'] },
    inventory_counts: { includes: ['items', 'branch', 'creator', 'poster'] },
    transfer_orders: {
      includes: ['items', 'branch', 'warehouse', 'creator', 'poster'],
      fields: () => ({
        decline_reason: text().nullable().describe('Why the warehouse declined the order'),
      }),
    },
  } satisfies Record<string, ResourceExtension>,
  loadResources: async () => (await import('./resources/index.ts')).commonResources,
};

/** Fields of categories. Groups have `items_index` in the API document. */
const menuFields = {
  items_index: ids().writable().describe('IDs of the items, in display order'),
  inactive_in_order_types: integers({ 'dine in': 1, pickup: 2, delivery: 3, 'drive thru': 4 })
    .allowsOthers()
    .writable()
    .nullable()
    .describe('Order types in which the items are hidden'),
};
