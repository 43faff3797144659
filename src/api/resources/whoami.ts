/** Whoami: the user, the application and the business of the token. */
import {
  boolean,
  email as emailAddress,
  integer,
  many,
  object,
  one,
  text,
  timestamp,
  words,
} from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { scopeNames } from '../contract/scope.ts';
import { createdAndUpdatedAt, id, sortableTimestamps } from './shared-fields.ts';
import { users } from './users.ts';

const licenses = [
  'branch',
  'warehouse',
  'cashier',
  'sub_cashier',
  'kds',
  'waiter',
  'notifier',
  'display',
  'menu',
  'kiosk',
  'agent',
  'simple_cashier',
];

/** The add-ons in the API document; the service may return others. */
const addons = [
  'combos',
  'coupons',
  'dashboard_branches',
  'delivery_zones',
  'export_customers',
  'export_orders',
  'export_transactions',
  'groups',
  'house_account',
  'inventory_cost_adjustment',
  'inventory_production',
  'inventory_purchase_orders',
  'inventory_transfer_orders',
  'inventory_transfers',
  'marketplace',
  'promotions',
  'reports_analysis',
  'reports_group_by',
  'sections_tables',
  'tags',
  'timed_events',
  'loyalty',
  'gift_cards',
  'digital_receipt',
  'online_store',
  'web_cashier',
  'dashboard_inventory',
  'inventory_categories',
  'inventory_count',
  'inventory_items',
  'inventory_purchasing',
  'inventory_quantity_adjustment',
  'inventory_suppliers',
];

const user = () => {
  const { pin, is_owner, name, number, email, phone, lang, display_localized_names } = users.fields;
  return object({
    pin,
    is_owner,
    branches: many('branches').describe('Branches of the user'),
    roles: many('roles').describe('Roles of the user'),
    id,
    name,
    number,
    email,
    phone,
    lang,
    display_localized_names,
    email_verified: boolean().describe('Whether the email address is confirmed'),
    must_use_fingerprint: boolean().describe('Whether signing in at a register requires a fingerprint'),
    last_console_login_at: timestamp().nullable().describe('When the user last signed in to the console'),
    last_cashier_login_at: timestamp().nullable().describe('When the user last signed in at a register'),
    ...sortableTimestamps,
  });
};

const business = () =>
  object({
    id,
    name: text().describe('Name of the business'),
    country_iso_code: text().describe('Country, as a country code'),
    owner_id: text().describe('User ID of the owner'),
    owner_email: emailAddress().describe('Email address of the owner'),
    reference: integer().describe('Number that identifies the business at the service'),
    trial_ends_at: timestamp().nullable().describe('When the trial ends'),
    has_pending_invoice: boolean().describe('Whether an invoice is unpaid'),
    has_service_pay: boolean().describe('Whether the business takes payments through the service'),
    addons: words(addons).describe('Add-ons that the business has'),
    licenses: object(
      Object.fromEntries(
        licenses.map((device) => [
          device,
          integer().describe(`Licenses for: ${device.replaceAll('_', ' ')}`),
        ]),
      ),
    ).describe('Number of licenses for each kind of device'),
    // The field table says string and the sample shows a boolean; responses may contain either.
    is_blocked: boolean().describe('Whether the business is blocked'),
    ...createdAndUpdatedAt,
    plan: integer().nullable().describe("Plan of the business; the values aren't documented"),
    type: integer().describe("Type of the business; the values aren't documented"),
  });

/** The account of the access token. */
export const whoami = resource({
  path: '/whoami',
  one: 'whoami',
  group: 'account',
  summary: 'Show the user, application and business of the token',
  singleton: true,
  key: [],
  exampleKey: '',
  columns: ['user.name', 'user.email', 'is_owner', 'business.name', 'business.reference', 'scopes'],
  fields: () => ({
    oauth_client: object({ id, name: text().describe('Name of the application') }).describe(
      'The application',
    ),
    user: user().describe('User of the token'),
    device: one('devices').nullable().describe('Device of the token, if it has one'),
    is_owner: boolean().describe('Whether the user owns the business'),
    scopes: words(scopeNames).describe('Scopes of the token'),
    business: business().describe('The business'),
  }),
  // The API document lists no scope.
  get: { scope: [] },
});
