/** Customers: who orders, how to reach them, and what they owe or have saved. */
import { boolean, choice, date, decimal, integer, many, text, timestamp } from '../contract/field.ts';
import { filterOn } from '../contract/filter.ts';
import { resource } from '../contract/resource.ts';
import { id, name, sortableTimestamps } from './shared-fields.ts';

const body = [
  'name',
  'dial_code',
  'phone',
  'email',
  'gender',
  'birth_date',
  'house_account_limit',
  'house_account_balance',
  'is_loyalty_enabled',
  'is_blacklisted',
  'is_house_account_enabled',
  'tags',
] as const;

export const customers = resource({
  path: '/customers',
  one: 'customer',
  group: 'customers',
  summary: 'People who order',
  key: ['phone', 'email', 'name'],
  known: 'Huda Al-Amin',
  knownBy: 'name',
  columns: ['id', 'name', 'dial_code', 'phone', 'email', 'order_count', 'last_order_at', 'is_blacklisted'],
  fields: {
    id,
    name: name.updatable().example('Layla Haddad'),
    dial_code: integer().updatable().about('Country calling code of the phone').example(966),
    phone: text().updatable().about('Phone number without the country calling code').example('551234567'),
    email: text().nullable().updatable().about('Email address').example('layla@example.com'),
    gender: choice({ male: 1, female: 2 }).nullable().updatable().about('Gender').example(2),
    birth_date: date().nullable().updatable().about('Date of birth').example('1991-04-23'),
    house_account_limit: integer()
      .nullable()
      .updatable()
      .about('How much may stand open on the house account')
      .unit('currency')
      .readScope('customers.accounts.read')
      .writeScope('customers.accounts.write')
      .example(500),
    // Read-only in the field table, yet listed in the requests: it can be sent, and the service decides.
    house_account_balance: decimal()
      .nullable()
      .about(
        'What stands open on the house account; the document calls it read-only and still lists it in requests',
      )
      .unit('currency')
      .readScope('customers.accounts.read')
      .writeScope('customers.accounts.write'),
    loyalty_balance: decimal()
      .nullable()
      .about('What the customer has saved up through loyalty')
      .unit('currency')
      .readScope('customers.loyalty.read'),
    // The sample shows 1 where the table says boolean: answers may hold either.
    is_loyalty_enabled: boolean()
      .updatable()
      .about('Whether orders earn loyalty')
      .writeScope('customers.loyalty.write')
      .example(true),
    is_blacklisted: boolean()
      .updatable()
      .about('Whether the customer is barred from ordering')
      .example(false),
    is_house_account_enabled: boolean()
      .updatable()
      .about('Whether the customer may order on account')
      .writeScope('customers.accounts.write')
      .example(false),
    tags: many('tags').updatable().includable().about('Tags on the customer'),
    addresses: many('addresses').inverseOf('customer').includable().about('Where the customer’s orders go'),
    last_order_at: timestamp().nullable().about('When the customer last ordered'),
    order_count: integer().nullable().about('How many orders the customer has placed').unit('orders'),
    ...sortableTimestamps,
  },
  filterRules: {
    has_orders: filterOn('order_count', 'any', boolean().about('Has ordered at least once')),
  },
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
  create: { scope: 'customers.write', body },
  update: { scope: 'customers.write', body },
  delete: { scope: 'admin.write' },
  restore: { scope: 'admin.restore' },
});
