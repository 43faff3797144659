/** Rules for values that must be unique, and for records without needed related records. */
import { recordTitle } from '../../../account/session/record-key.ts';
import type { Row } from '../../../account/session/row.ts';
import { findDuplicates, isEmpty, isTrue, trimmedText } from '../account.ts';
import { issue, type Rule, type RuleInfo } from '../rule.ts';

const linkItem = ['link-item', 'ITEM', '--order-unit', 'UNIT', '--order-to-storage-factor', 'N'];
const contentFields = ['products', 'combos', 'gift_card_products'];

/** The rules about values of fields. */
export const valueRules: readonly Rule[] = [
  sameValue('customers', 'email', {
    ...{ name: 'customer-same-email', severity: 'warning', label: 'email address' },
    summary: 'Customers with the same email address',
    reason: 'Receipts of both records go to the same address, so they are probably one customer.',
    examples: ['huda@example.com', 'omar@example.com'],
  }),
  sameValue('users', 'email', {
    ...{ name: 'user-email-twice', severity: 'error', label: 'email address' },
    summary: 'Users with the same email address',
    reason: 'It is undefined which user signs in with the address, or gets a password reset.',
    examples: ['sara@example.com', 'omar@example.com'],
  }),
  sameValue('inventory_items', 'sku', {
    ...{ name: 'item-sku-twice', severity: 'error', label: 'SKU' },
    summary: 'Inventory items with the same SKU',
    reason: 'Imports and scanners may find the wrong item.',
    examples: ['SKU-001', 'SKU-002'],
  }),
  sameValue('inventory_items', 'barcode', {
    ...{ name: 'item-barcode-twice', severity: 'error', label: 'barcode' },
    summary: 'Inventory items with the same barcode',
    reason: 'Scanners may record the wrong item.',
    examples: ['6281000000001', '6281000000002'],
  }),
  emptyLists('users', ['roles'], {
    ...{ name: 'user-without-role', severity: 'warning', unless: 'is_owner' },
    summary: 'Users without a role',
    reason: "They can sign in, but can't do anything.",
    ...{ message: 'The user has no role.', fix: ['update', '--roles', 'ROLE'] },
  }),
  emptyLists('roles', ['users'], {
    ...{ name: 'role-without-users', severity: 'info' },
    summary: 'Roles that no user has',
    reason: 'Someone may assign the role by its name, with authorities that no one has reviewed.',
    ...{ message: 'No user has this role.', fix: ['delete'] },
  }),
  emptyLists('categories', contentFields, {
    ...{ name: 'category-empty', severity: 'info' },
    summary: 'Empty categories',
    reason: 'Guests see an empty page of the menu.',
    ...{ message: 'The category is empty.', fix: ['delete'] },
  }),
  emptyLists('groups', [...contentFields, 'subgroups'], {
    ...{ name: 'group-empty', severity: 'warning' },
    summary: 'Empty groups',
    reason: 'The branch, time of day or delivery app that uses the group shows an empty menu.',
    ...{ message: 'The group is empty.', fix: ['delete'] },
  }),
  emptyLists('modifiers', ['options'], {
    ...{ name: 'modifier-without-options', severity: 'warning' },
    summary: 'Modifiers without options',
    reason: 'The register asks for a choice and offers none.',
    ...{ message: 'The modifier has no options.', fix: ['update', '--options', 'JSON'] },
  }),
  emptyLists('sections', ['tables'], {
    ...{ name: 'section-without-tables', severity: 'info' },
    summary: 'Sections without tables',
    reason: 'Waiters see an area in which no one can sit.',
    ...{ message: 'The section has no tables.', fix: ['delete'] },
  }),
  emptyLists('delivery_zones', ['branches'], {
    ...{ name: 'zone-without-branch', severity: 'warning' },
    summary: 'Delivery zones that no branch delivers to',
    reason: 'Customers in the zone can order delivery, but no branch gets the order.',
    ...{ message: 'The zone has no branch.', fix: ['update', '--branches', 'BRANCH'] },
  }),
  emptyLists('suppliers', ['items'], {
    ...{ name: 'supplier-without-items', severity: 'warning' },
    summary: 'Suppliers without linked items',
    reason: "You can't order from them. Link their items, or delete them.",
    ...{ message: 'The supplier has no items.', fix: linkItem },
  }),
];

/** A rule for a value that must be unique. `label` is its name in messages; the two examples differ. */
interface SameValueRule extends RuleInfo {
  label: string;
  examples: readonly [string, string];
}

/** Returns a rule for records with the same value as an earlier record, ignoring case. */
function sameValue(resource: string, field: string, { label, examples, ...ruleInfo }: SameValueRule): Rule {
  return {
    ...ruleInfo,
    checks: { [resource]: [field] },
    *checkAll({ resource: checkedResource, account }) {
      const keyOf = (row: Row) => trimmedText(row[field])?.toLowerCase();
      for (const [row, first] of findDuplicates(account.rows(resource), keyOf)) {
        const message = `The ${label} is the same as that of ${recordTitle(checkedResource, first)} (${first.id}): ${row[field]}.`;
        yield [row, issue(message, 'update', `--${field}`, field.toUpperCase())];
      }
    },
    bad: [{ [field]: examples[0] }, { [field]: examples[0] }],
    good: { [field]: examples[1] },
  };
}

/** A rule for records with empty lists. Records in which the field `unless` is true are exempt. */
interface EmptyListsRule extends RuleInfo {
  message: string;
  fix: readonly string[];
  unless?: string;
}

/** Returns a rule for records in which all these lists are empty. */
function emptyLists(resource: string, fields: readonly string[], rule: EmptyListsRule): Rule {
  const { message, fix, unless = '', ...ruleInfo } = rule;
  return {
    ...ruleInfo,
    checks: { [resource]: unless ? [...fields, unless] : fields },
    checkRecord: (row) =>
      fields.every((name) => isEmpty(row[name])) && !isTrue(row[unless]) ? issue(message, ...fix) : undefined,
    bad: [Object.fromEntries(fields.map((field) => [field, []]))],
    good: { [fields[0] ?? '']: [{ id: 'example' }] },
  };
}
