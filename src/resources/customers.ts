/** Customers: who orders, how to reach them, and what they owe or have saved. */
import { boolean, choice, date, decimal, email, integer, many, phone, timestamp } from '../contract/field.ts';
import { filterOn } from '../contract/filter.ts';
import { resource } from '../contract/resource.ts';
import { id, name, sortableTimestamps } from './shared-fields.ts';
import { tagsFor } from './tag-types.ts';

export const customers = resource({
  path: '/customers',
  one: 'customer',
  group: 'customers',
  summary: 'People who order',
  key: ['phone', 'email', 'name'],
  known: 'Huda Al-Amin',
  knownBy: 'name',
  columns: ['id', 'name', 'dial_code', 'phone', 'email', 'order_count', 'last_order_at', 'is_blacklisted'],
  fields: () => ({
    id,
    name: name.form('person').writable().example('Layla Haddad'),
    dial_code: integer().writable().about('Country calling code of the phone').example(966),
    phone: phone()
      .writable()
      .dialledBy('dial_code')
      .about('Phone number without the country calling code')
      .example('551234567'),
    email: email().writable().nullable().about('Email address').example('layla@example.com'),
    gender: choice({ male: 1, female: 2 }).writable().nullable().about('Gender').example(2),
    birth_date: date().writable().nullable().about('Date of birth').example('1991-04-23'),
    house_account_limit: integer()
      .writable()
      .nullable()
      .about('How much may stand open on the house account')
      .unit('currency')
      .readScope('customers.accounts.read')
      .writeScope('customers.accounts.write')
      .example(500),
    house_account_balance: decimal()
      .writable()
      .leftAside()
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
      .writable()
      .about('Whether orders earn loyalty')
      .writeScope('customers.loyalty.write')
      .example(true),
    is_blacklisted: boolean().writable().about('Whether the customer is barred from ordering').example(false),
    is_house_account_enabled: boolean()
      .writable()
      .about('Whether the customer may order on account')
      .writeScope('customers.accounts.write')
      .example(false),
    tags: tagsFor('customer').writable().includable().about('Tags on the customer'),
    addresses: many('addresses').inverseOf('customer').includable().about('Where the customer’s orders go'),
    last_order_at: timestamp().nullable().about('When the customer last ordered'),
    order_count: integer().nullable().about('How many orders the customer has placed').unit('orders'),
    ...sortableTimestamps,
  }),
  filterRules: () => ({
    has_orders: filterOn('order_count', 'any', boolean().about('Has ordered at least once')),
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
