/** Rules for values that two records must not share, and for records that lack what makes them useful. */
import { titleOf } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';
import { isEmpty, isOn, repeated, textIn } from '../account.ts';
import { type Described, type Rule, wrong } from '../rule.ts';

const contents = ['products', 'combos', 'gift_card_products'];

export const valueRules: readonly Rule[] = [
  sameValue('customers', 'email', {
    ...{ name: 'customer-same-email', severity: 'warning', label: 'email address' },
    summary: 'Customers with the same email address',
    reason: 'Receipts of two records go to one person, who is probably one customer.',
    examples: ['huda@example.com', 'omar@example.com'],
  }),
  sameValue('users', 'email', {
    ...{ name: 'user-email-twice', severity: 'error', label: 'email address' },
    summary: 'Users with the same email address',
    reason: 'It is undefined who signs in with it, and who gets a password reset.',
    examples: ['sara@example.com', 'omar@example.com'],
  }),
  sameValue('inventory_items', 'sku', {
    ...{ name: 'item-sku-twice', severity: 'error', label: 'SKU' },
    summary: 'Inventory items with the same SKU',
    reason: 'Imports and scanners find the wrong one of them.',
    examples: ['SKU-001', 'SKU-002'],
  }),
  sameValue('inventory_items', 'barcode', {
    ...{ name: 'item-barcode-twice', severity: 'error', label: 'barcode' },
    summary: 'Inventory items with the same barcode',
    reason: 'A scanner books the wrong item.',
    examples: ['6281000000001', '6281000000002'],
  }),
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
    summary: 'Suppliers without linked items',
    reason: "You can't order from them. Link their items, or delete them.",
    ...{
      message: 'Sells no item.',
      fix: ['link-item', 'ITEM', '--order-unit', 'UNIT', '--order-to-storage-factor', 'N'],
    },
  }),
];

/** `label` is the name of the value in messages; the two examples differ. */
interface Sharing extends Described {
  label: string;
  examples: readonly [string, string];
}

/** Returns a rule for records that share a value with an earlier one, in whatever case. */
function sameValue(resource: string, field: string, { label, examples, ...described }: Sharing): Rule {
  return {
    ...described,
    on: { [resource]: [field] },
    *all({ resource: own, account }) {
      const keyOf = (row: Row) => textIn(row[field])?.toLowerCase();
      for (const [row, first] of repeated(account.rows(resource), keyOf)) {
        const message = `Has the ${label} of ${titleOf(own, first)} (${first.id}): ${row[field]}.`;
        yield [row, wrong(message, 'update', `--${field}`, field.toUpperCase())];
      }
    },
    bad: [{ [field]: examples[0] }, { [field]: examples[0] }],
    good: { [field]: examples[1] },
  };
}

/** Records in which the field `unless` is true are exempt. */
interface Lacking extends Described {
  message: string;
  fix: readonly string[];
  unless?: string;
}

/** Returns a rule for records in which all of the lists are empty. */
function lacking(resource: string, fields: readonly string[], given: Lacking): Rule {
  const { message, fix, unless = '', ...described } = given;
  return {
    ...described,
    on: { [resource]: unless ? [...fields, unless] : fields },
    each: (row) =>
      fields.every((field) => isEmpty(row[field])) && !isOn(row[unless]) ? wrong(message, ...fix) : undefined,
    bad: [Object.fromEntries(fields.map((field) => [field, []]))],
    good: { [fields[0] ?? '']: [{ id: 'example' }] },
  };
}
