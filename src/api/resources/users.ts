/** Users: people who work with the devices and the console of the business. */
import { boolean, code, email, many, phone, text, timestamp, words } from '../contract/field.ts';
import { fieldFilter, undocumentedFilter } from '../contract/filter.ts';
import { resource } from '../contract/resource.ts';
import { notifications, notificationTypes } from './notification-types.ts';
import { id, name, sortableTimestamps } from './shared-fields.ts';
import { tagsFor } from './tag-types.ts';

/** The fields, filters and operations of users. */
export const users = resource({
  path: '/users',
  one: 'user',
  searchTerms: ['staff', 'employees', 'people'],
  group: 'people',
  summary: 'Employees who use the devices or the console',
  key: ['number', 'email', 'name'],
  exampleKey: 'Omar Nasser',
  exampleKeyField: 'name',
  columns: ['id', 'name', 'number', 'email', 'phone', 'is_owner', 'roles', 'last_login_at'],
  fields: () => ({
    id,
    is_owner: boolean()
      .builtIn('owner')
      .describe('Whether the user owns the account; the owner has all authorities in all branches'),
    name: name.form('person').required().writable().example('Sara Mansour'),
    pin: text().writable().secret().label('PIN').describe('PIN for signing in at a register').example('4821'),
    number: code().writable().label('Staff number').describe('Staff number').example('1042'),
    email: email().writable().describe('Email address').example('sara@example.com'),
    phone: phone().writable().describe('Phone number').example('555000111'),
    lang: text()
      .required()
      .writable()
      .label('Language')
      .describe('Preferred language, as a language code')
      .example('en'),
    password: text().immutable().writeOnly().secret().describe('Console password; set at creation'),
    display_localized_names: boolean()
      .updatable()
      .describe('Whether names are shown in the second language')
      .example(true),
    email_verified: boolean().describe('Whether the email address is confirmed'),
    must_use_fingerprint: boolean()
      .updatable()
      .describe('Whether signing in at a register requires a fingerprint')
      .example(false),
    last_login_at: timestamp().nullable().describe('When the user last signed in'),
    last_cashier_login_at: timestamp().nullable().describe('When the user last signed in at a register'),
    roles: many('roles')
      .writable()
      .includable()
      .askedInForms()
      .describe("Roles of the user, valid in all the user's branches"),
    branches: many('branches').writable().includable().askedInForms().describe('Branches of the user'),
    tags: tagsFor('user').writable().includable().describe('Tags of the user'),
    notifications: words(notificationTypes)
      .writable()
      .meanings(notifications)
      .includable()
      .describe("Events in the user's branches that the user gets notifications about")
      .example(['new_transfer_order']),
    ...sortableTimestamps,
  }),
  filterRules: () => ({
    has_app_access: undocumentedFilter(boolean().describe('Whether the user may use the app')),
    has_console_access: undocumentedFilter(boolean().describe('Whether the user may use the console')),
    has_roles: fieldFilter('roles', 'any', boolean().describe('Whether the user has a role')),
  }),
  list: {
    scope: 'users.read',
    filters: [
      'id',
      'number',
      'name',
      'email',
      'phone',
      'roles.id',
      'email_verified',
      'branches.id',
      'tags.id',
      'updated_after',
      'has_app_access',
      'has_console_access',
      'has_roles',
      'is_deleted',
      'created_on',
      'updated_on',
      'deleted_on',
    ],
  },
  get: { scope: 'users.read' },
  create: { scope: 'users.write' },
  update: { scope: 'users.write' },
  delete: { scope: 'users.write' },
  restore: { scope: 'admin.restore' },
});
