/** Customers begin without orders, savings and debts. */
import type { Rule } from './rule.ts';

const started = { order_count: 0, loyalty_balance: 0, house_account_balance: 0 };

export const customerRule: Rule = {
  fill: () => started,
};
