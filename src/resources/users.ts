/** Users: the people who work with the business's devices and console. */
import { boolean, email, many, phone, text, timestamp, words } from '../contract/field.ts';
import { filterOn, filterUnknown } from '../contract/filter.ts';
import { resource } from '../contract/resource.ts';
import { notifications, notificationTypes } from './notification-types.ts';
import { id, name, sortableTimestamps } from './shared-fields.ts';
import { tagsFor } from './tag-types.ts';

export const users = resource({
  path: '/users',
  one: 'user',
  meant: ['staff', 'employees', 'people'],
  group: 'people',
  summary: 'People who work for the business',
  key: ['number', 'email', 'name'],
  known: 'Omar Nasser',
  knownBy: 'name',
  columns: ['id', 'name', 'number', 'email', 'phone', 'is_owner', 'roles', 'last_login_at'],
  fields: () => ({
    id,
    is_owner: boolean()
      .own('owner')
      .about('Whether this is the owner of the account, who may do everything everywhere'),
    name: name.form('person').required().writable().example('Sara Mansour'),
    pin: text().writable().secret().label('PIN').about('The number typed at the till').example('4821'),
    number: text().writable().label('Staff number').about('Staff number').example('1042'),
    email: email().writable().about('Email address').example('sara@example.com'),
    phone: phone().writable().about('Phone number').example('555000111'),
    lang: text().required().writable().label('Language').about('Preferred language, as a code').example('en'),
    password: text().immutable().writeOnly().secret().about('Console password; only at creation'),
    display_localized_names: boolean()
      .updatable()
      .about('Whether names are shown in the second language')
      .example(true),
    email_verified: boolean().about('Whether the email address is confirmed'),
    must_use_fingerprint: boolean()
      .updatable()
      .about('Whether signing in at a till needs a fingerprint')
      .example(false),
    last_login_at: timestamp().nullable().about('When the user last signed in'),
    last_cashier_login_at: timestamp().nullable().about('When the user last signed in at a till'),
    roles: many('roles')
      .writable()
      .includable()
      .asked()
      .about('Roles, whose authorities hold in all the user’s branches'),
    branches: many('branches').writable().includable().asked().about('Branches the user belongs to'),
    tags: tagsFor('user').writable().includable().about('Tags on the user'),
    notifications: words(notificationTypes)
      .writable()
      .meanings(notifications)
      .includable()
      .about('What the user is told of when it happens in one of the user’s branches')
      .example(['new_transfer_order']),
    ...sortableTimestamps,
  }),
  filterRules: () => ({
    has_app_access: filterUnknown(boolean().about('May use the app')),
    has_console_access: filterUnknown(boolean().about('May use the console')),
    has_roles: filterOn('roles', 'any', boolean().about('Has at least one role')),
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
