/** Lists the rules of resources that do more than store their fields. */
import { identifier, type Sql, sql } from '../../api/sql/sql.ts';
import { costAdjustmentRule } from './cost-adjustments.ts';
import { inventoryCountRule } from './inventory-counts.ts';
import { inventoryItemRule } from './inventory-items.ts';
import type { ResourceRule } from './rule.ts';
import { transferOrderRule } from './transfer-orders.ts';

/** Returns a filter for rows with or without a value in a text column. */
function hasValueFilter(column: string) {
  return (value: unknown): Sql =>
    sql`(ifnull(${identifier('t', column)}, '') <> '') = ${value === true ? 1 : 0}`;
}

const userRule: ResourceRule = {
  // Users sign in to the cashier app with the PIN, and to the console with the email address.
  filters: { has_app_access: hasValueFilter('pin'), has_console_access: hasValueFilter('email') },
  initialCells: () => ({ is_owner: 0 }),
  deleteProblems: (_, row): Record<string, string[]> =>
    row.is_owner === 1 ? { id: ["belongs to the owner, who can't be deleted"] } : {},
};

/** Tax groups can be filtered by a reference that responses don't contain, so the sandbox stores it. */
const taxGroupRule: ResourceRule = {
  filters: { reference: (value) => sql`t.reference = ${String(value)}` },
};

/** The cells of a new customer: no orders, no points, no debt. */
const newCustomerCells = { order_count: 0, loyalty_balance: 0, house_account_balance: 0 };

const customerRule: ResourceRule = {
  initialCells: () => newCustomerCells,
};

const rules = new Map<string, ResourceRule>([
  ['customers', customerRule],
  ['users', userRule],
  ['tax_groups', taxGroupRule],
  ['inventory_items', inventoryItemRule],
  ['inventory_counts', inventoryCountRule],
  ['cost_adjustments', costAdjustmentRule],
  ['transfer_orders', transferOrderRule],
]);

const noRule: ResourceRule = {};

/** Returns the rule of a resource by its name in the API; an empty rule if it has none. */
export function ruleOf(resource: string): ResourceRule {
  return rules.get(resource) ?? noRule;
}
