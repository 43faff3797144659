/** Rules for records that lack what makes them useful: roles, branches, contents. */

import type { Rule } from '../rule.ts';
import { lacking } from '../rule-kinds.ts';

const contents = ['products', 'combos', 'gift_card_products'];

export const missingValueRules: readonly Rule[] = [
  lacking('users', ['roles'], {
    ...{ name: 'user-without-role', severity: 'warning', unless: 'is_owner' },
    summary: 'Users without a role',
    reason: 'They can sign in and do nothing, until someone gives them too much in a hurry.',
    ...{ message: 'Has no role.', fix: ['update', '--roles', 'ROLE'] },
  }),
  lacking('roles', ['users'], {
    ...{ name: 'role-without-users', severity: 'info' },
    summary: 'Roles that no user has',
    reason: 'The next person who picks one by its name gets authorities that no one has reviewed.',
    ...{ message: 'No user has it.', fix: ['delete'] },
  }),
  lacking('categories', contents, {
    ...{ name: 'category-empty', severity: 'info' },
    summary: 'Categories with nothing in them',
    reason: 'Guests tap an empty page of the menu.',
    ...{ message: 'Is empty.', fix: ['delete'] },
  }),
  lacking('groups', [...contents, 'subgroups'], {
    ...{ name: 'group-empty', severity: 'warning' },
    summary: 'Groups with nothing in them',
    reason: 'The branch, time of day or delivery app that uses the group shows an empty menu.',
    ...{ message: 'Is empty.', fix: ['delete'] },
  }),
  lacking('modifiers', ['options'], {
    ...{ name: 'modifier-without-options', severity: 'warning' },
    summary: 'Modifiers without options',
    reason: 'The register asks for a choice and offers none.',
    ...{ message: 'Has no options.', fix: ['update', '--options', 'JSON'] },
  }),
  lacking('sections', ['tables'], {
    ...{ name: 'section-without-tables', severity: 'info' },
    summary: 'Sections without tables',
    reason: 'Waiters see an area in which no one can sit.',
    ...{ message: 'Has no tables.', fix: ['delete'] },
  }),
  lacking('delivery_zones', ['branches'], {
    ...{ name: 'zone-without-branch', severity: 'warning' },
    summary: 'Delivery zones that no branch delivers to',
    reason: 'Customers inside see that you deliver, and no branch gets their order.',
    ...{ message: 'Has no branch.', fix: ['update', '--branches', 'BRANCH'] },
  }),
  lacking('suppliers', ['items'], {
    ...{ name: 'supplier-without-items', severity: 'warning' },
    summary: 'Suppliers that sell nothing',
    reason: 'No order can be made to them. Link their items, or delete them.',
    ...{
      message: 'Sells no item.',
      fix: ['link-item', 'ITEM', '--order-unit', 'UNIT', '--order-to-storage-factor', 'N'],
    },
  }),
];
