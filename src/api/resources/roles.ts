/** Roles: sets of authorities that are assigned to users. */
import { many, text, words } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, nameLocalized, sortableTimestamps } from './shared-fields.ts';

/** All authorities, by area. API document: "Role". */
export const authorities = {
  orders: ['orders:read', 'orders:manage_tags'],
  customers: [
    'customers:read',
    'customers:read_insights',
    'customers:manage',
    'customers:manage_house_account',
    'customers:manage_loyalty',
  ],
  inventory: [
    'inventory_items:read',
    'inventory_items:manage',
    'suppliers:read',
    'suppliers:manage',
    'po:drafts:manage',
    'po:posted:manage',
    'po:approved:manage',
    'to:drafts:manage',
    'to:approved:manage',
    'transfers:drafts:manage',
    'transfers:closed:manage',
    'purchasing:drafts:manage',
    'purchasing:closed:manage',
    'production:drafts:manage',
    'production:closed:manage',
    'quantity_adjustment:drafts:manage',
    'quantity_adjustment:closed:manage',
    'cost_adjustment:drafts:manage',
    'cost_adjustment:closed:manage',
    'inventory_count:drafts:manage',
    'inventory_count:closed:manage',
    'order_transactions:read',
  ],
  menu: ['menu:read', 'menu:manage'],
  other: ['ingredients:manage', 'cost:manage'],
  admin: [
    'gift_cards:manage',
    'users:manage',
    'promotions:manage',
    'timed_events:manage',
    'discounts:manage',
    'coupons:manage',
    'devices:manage',
    'branches:manage',
    'settings:read',
    'settings:manage',
    'apps:manage',
  ],
} as const;

/** The fields, filters and operations of roles. */
export const roles = resource({
  path: '/roles',
  one: 'role',
  group: 'people',
  summary: 'Roles and their authorities',
  key: ['name'],
  exampleKey: 'Shift Manager',
  columns: ['id', 'name', 'name_localized', 'authorities', 'updated_at'],
  fields: () => ({
    id,
    name: name.required().writable().example('Stock Keeper'),
    name_localized: nameLocalized.writable().example('أمين المخزن'),
    users: many('users')
      .writable()
      .nullable()
      .includable()
      .inverseOf('roles')
      .pivot({ role_id: text().repeatsId().describe('Role'), user_id: text().repeatsId().describe('User') })
      .describe('Users who have the role'),
    authorities: words(Object.values(authorities).flat())
      .writable()
      .nullable()
      .includable()
      .askedInForms()
      .describe('Authorities of the role, valid in all branches of its users')
      .example(['inventory_items:read', 'suppliers:read']),
    ...sortableTimestamps,
  }),
  list: { scope: 'users.read', filters: ['id', 'name', 'name_localized', 'users.id', ...dateFilters] },
  get: { scope: 'users.read' },
  create: { scope: 'users.write' },
  update: { scope: 'users.write' },
  delete: { scope: 'users.write' },
  restore: { scope: 'admin.restore' },
});
