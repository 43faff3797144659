/** Customers: contact details, house account and loyalty balance of people who order. */
import { boolean, choice, date, decimal, email, integer, many, phone, timestamp } from '../contract/field.ts';
import { fieldFilter } from '../contract/filter.ts';
import { resource } from '../contract/resource.ts';
import { id, name, sortableTimestamps } from './shared-fields.ts';
import { tagsFor } from './tag-types.ts';

/** The fields, filters and operations of customers. */
export const customers = resource({
  path: '/customers',
  one: 'customer',
  group: 'customers',
  summary: 'Customers, with house account and loyalty balance',
  key: ['phone', 'email', 'name'],
  exampleKey: 'Huda Al-Amin',
  exampleKeyField: 'name',
  columns: ['id', 'name', 'dial_code', 'phone', 'email', 'order_count', 'last_order_at', 'is_blacklisted'],
  fields: () => ({
    id,
    name: name.form('person').writable().example('Layla Haddad'),
    dial_code: integer().writable().describe('Country calling code of the phone').example(966),
    phone: phone()
      .writable()
      .callingCodeIn('dial_code')
      .describe('Phone number without the country calling code')
      .example('551234567'),
    email: email().writable().nullable().describe('Email address').example('layla@example.com'),
    gender: choice({ male: 1, female: 2 }).writable().nullable().describe('Gender').example(2),
    birth_date: date().writable().nullable().describe('Date of birth').example('1991-04-23'),
    house_account_limit: integer()
      .writable()
      .nullable()
      .describe('House account limit: the highest balance allowed')
      .unit('currency')
      .readScope('customers.accounts.read')
      .writeScope('customers.accounts.write')
      .example(500),
    house_account_balance: decimal()
      .writable()
      .ignored()
      .nullable()
      .describe('House account balance; ignored by the service, which calculates it.')
      .unit('currency')
      .readScope('customers.accounts.read')
      .writeScope('customers.accounts.write'),
    loyalty_balance: decimal()
      .nullable()
      .describe('Loyalty balance')
      .unit('currency')
      .readScope('customers.loyalty.read'),
    // The sample shows 1 where the table says boolean: responses may contain either.
    is_loyalty_enabled: boolean()
      .writable()
      .describe("Whether the customer's orders earn loyalty credit")
      .writeScope('customers.loyalty.write')
      .example(true),
    is_blacklisted: boolean()
      .writable()
      .describe('Whether the customer is blocked from ordering')
      .example(false),
    is_house_account_enabled: boolean()
      .writable()
      .describe('Whether the customer may pay by house account')
      .writeScope('customers.accounts.write')
      .example(false),
    tags: tagsFor('customer').writable().includable().describe('Tags of the customer'),
    addresses: many('addresses')
      .inverseOf('customer')
      .includable()
      .describe('Delivery addresses of the customer'),
    last_order_at: timestamp().nullable().describe('When the customer last ordered'),
    order_count: integer().nullable().describe('Number of orders placed').unit('orders'),
    ...sortableTimestamps,
  }),
  filterRules: () => ({
    has_orders: fieldFilter('order_count', 'any', boolean().describe('Has at least one order')),
  }),
  list: {
    scope: 'customers.list',
    filters: [
      'name',
      'email',
      'phone',
      'dial_code',
      'tags.id',
      'is_blacklisted',
      'is_house_account_enabled',
      'is_loyalty_enabled',
      'has_orders',
      'updated_after',
      'is_deleted',
    ],
  },
  get: { scope: 'customers.get' },
  create: { scope: 'customers.write' },
  update: { scope: 'customers.write' },
  delete: { scope: 'admin.write' },
  restore: { scope: 'admin.restore' },
});
