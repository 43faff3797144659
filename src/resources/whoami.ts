/** Whoami: the user, the application and the business behind the token. */
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
import { id, sortableTimestamps, writtenAt } from './shared-fields.ts';
import { users } from './users.ts';

const licences = [
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

/** The values that the document has seen; others may come. */
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
    branches: many('branches').about('Branches the user belongs to'),
    roles: many('roles').about('Roles of the user'),
    id,
    name,
    number,
    email,
    phone,
    lang,
    display_localized_names,
    email_verified: boolean().about('Whether the email address is confirmed'),
    must_use_fingerprint: boolean().about('Whether signing in at a till needs a fingerprint'),
    last_console_login_at: timestamp().nullable().about('When the user last signed in to the console'),
    last_cashier_login_at: timestamp().nullable().about('When the user last signed in at a till'),
    ...sortableTimestamps,
  });
};

const business = () =>
  object({
    id,
    name: text().about('The business’s name'),
    country_iso_code: text().about('Country, as a code'),
    owner_id: text().about('The owner’s user id'),
    owner_email: emailAddress().about('The owner’s email address'),
    reference: integer().about('The number that the service knows the business by'),
    trial_ends_at: timestamp().nullable().about('When the trial ends'),
    has_pending_invoice: boolean().about('Whether an invoice is open'),
    has_service_pay: boolean().about('Whether it takes payments through the service'),
    addons: words(addons).about('What it has booked'),
    licenses: object(
      Object.fromEntries(
        licences.map((device) => [device, integer().about(`Licences for: ${device.replaceAll('_', ' ')}`)]),
      ),
    ).about('How many of each it may run'),
    // Typed string in the field table, a boolean in the sample: answers may hold either.
    is_blocked: boolean().about('Whether the business is blocked'),
    ...writtenAt,
    plan: integer().nullable().about('Its plan; the values are not documented'),
    type: integer().about('Its type; the values are not documented'),
  });

export const whoami = resource({
  path: '/whoami',
  one: 'whoami',
  group: 'account',
  summary: 'The user, application and business of the token',
  singleton: true,
  key: [],
  known: '',
  columns: ['user.name', 'user.email', 'is_owner', 'business.name', 'business.reference', 'scopes'],
  fields: () => ({
    oauth_client: object({ id, name: text().about('The application’s name') }).about('The application'),
    user: user().about('The user behind the token'),
    device: one('devices').nullable().about('The device of the token, where it has one'),
    is_owner: boolean().about('Whether the user owns the business'),
    scopes: words(scopeNames).about('What the token allows'),
    business: business().about('The business'),
  }),
  // Scope not shown.
  get: { scope: [] },
});
