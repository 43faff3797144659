/** The resources that do more than store their fields. */
import { costAdjustmentRule } from './cost-adjustments.ts';
import { customerRule } from './customers.ts';
import { inventoryCountRule } from './inventory-counts.ts';
import { inventoryItemRule } from './inventory-items.ts';
import type { Rule } from './rule.ts';
import { taxGroupRule } from './tax-groups.ts';
import { transferOrderRule } from './transfer-orders.ts';
import { userRule } from './users.ts';

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

/** By the API's own name of the resource. */
export function ruleOf(resource: string): Rule {
  return rules.get(resource) ?? none;
}
