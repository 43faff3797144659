/** The rules of resources that do more than store their fields. */
import { costAdjustmentRule } from './cost-adjustments.ts';
import { inventoryCountRule } from './inventory-counts.ts';
import { inventoryItemRule } from './inventory-items.ts';
import type { RowTest, Rule } from './rule.ts';
import { transferOrderRule } from './transfer-orders.ts';

/** Returns a filter on whether a text column has a value. */
function has(column: string) {
  return (value: unknown): RowTest => ({
    sql: `(ifnull(t.${column}, '') <> '') = ?`,
    cells: [value === true ? 1 : 0],
    isIndexed: true,
  });
}

const userRule: Rule = {
  // The cashier app asks for the PIN, the console for the email address.
  filters: { has_app_access: has('pin'), has_console_access: has('email') },
  fill: () => ({ is_owner: 0 }),
  refuseDelete: (_, row): Record<string, string[]> =>
    row.is_owner === 1 ? { id: ["is that of the owner, who can't be deleted"] } : {},
};

/**
 * Tax groups can be filtered by a reference that the document doesn't show: the sandbox stores it, and responses
 * don't contain it.
 */
const taxGroupRule: Rule = {
  filters: { reference: (value) => ({ sql: 't.reference = ?', cells: [String(value)], isIndexed: true }) },
};

/** Customers begin without orders, points and debts. */
const started = { order_count: 0, loyalty_balance: 0, house_account_balance: 0 };

const customerRule: Rule = {
  fill: () => started,
};

const rules = new Map<string, Rule>([
  ['customers', customerRule],
  ['users', userRule],
  ['tax_groups', taxGroupRule],
  ['inventory_items', inventoryItemRule],
  ['inventory_counts', inventoryCountRule],
  ['cost_adjustments', costAdjustmentRule],
  ['transfer_orders', transferOrderRule],
]);

const none: Rule = {};

/** Returns the rule of a resource, by the API's name. */
export function ruleOf(resource: string): Rule {
  return rules.get(resource) ?? none;
}
