/** Users: people who work with the devices and the console of the business. */
import { boolean, email, many, phone, text, timestamp, words } from '../contract/field.ts';
import { filterOn, filterUnknown } from '../contract/filter.ts';
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
      .about('Whether the user owns the account; the owner has all authorities in all branches'),
    name: name.form('person').required().writable().example('Sara Mansour'),
    pin: text().writable().secret().label('PIN').about('PIN for signing in at a register').example('4821'),
    number: text().writable().label('Staff number').about('Staff number').example('1042'),
    email: email().writable().about('Email address').example('sara@example.com'),
    phone: phone().writable().about('Phone number').example('555000111'),
    lang: text()
      .required()
      .writable()
      .label('Language')
      .about('Preferred language, as a language code')
      .example('en'),
    password: text().immutable().writeOnly().secret().about('Console password; set at creation'),
    display_localized_names: boolean()
      .updatable()
      .about('Whether names are shown in the second language')
      .example(true),
    email_verified: boolean().about('Whether the email address is confirmed'),
    must_use_fingerprint: boolean()
      .updatable()
      .about('Whether signing in at a register requires a fingerprint')
      .example(false),
    last_login_at: timestamp().nullable().about('When the user last signed in'),
    last_cashier_login_at: timestamp().nullable().about('When the user last signed in at a register'),
    roles: many('roles')
      .writable()
      .includable()
      .askedInForms()
      .about("Roles of the user, valid in all the user's branches"),
    branches: many('branches').writable().includable().askedInForms().about('Branches of the user'),
    tags: tagsFor('user').writable().includable().about('Tags of the user'),
    notifications: words(notificationTypes)
      .writable()
      .meanings(notifications)
      .includable()
      .about("Events in the user's branches that the user gets notifications about")
      .example(['new_transfer_order']),
    ...sortableTimestamps,
  }),
  filterRules: () => ({
    has_app_access: filterUnknown(boolean().about('Whether the user may use the app')),
    has_console_access: filterUnknown(boolean().about('Whether the user may use the console')),
    has_roles: filterOn('roles', 'any', boolean().about('Whether the user has a role')),
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
