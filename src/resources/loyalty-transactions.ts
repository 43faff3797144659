/** Loyalty transactions: what each order has earned its customer. Read-only. */
import { boolean, date, decimal, ids, one, timestamp } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { id, writtenAt } from './shared-fields.ts';

export const loyaltyTransactions = resource({
  path: '/loyalty_transactions',
  one: 'loyalty-transaction',
  group: 'loyalty',
  summary: 'What orders have earned their customers',
  key: [],
  known: 'loyalty-transaction-1',
  columns: ['id', 'business_date', 'customer', 'order', 'amount', 'redeemable_at', 'is_redeemed'],
  fields: () => ({
    id,
    business_date: date().about('The business day of the order'),
    amount: decimal().unit('currency').about('What the order was worth, less what came back'),
    redeemable_at: timestamp().nullable().about('From when it counts towards a reward'),
    returns: ids().nullable().about('Order returns that reduced it'),
    is_redeemed: boolean().about('Whether it has gone into a reward'),
    customer: one('customers').includable().about('Who earned it'),
    order: one('orders').includable().about('The order that earned it'),
    ...writtenAt,
  }),
  list: { scope: 'customers.loyalty.read', filters: ['customer_id', 'order_id', 'updated_after'] },
  get: { scope: 'customers.loyalty.read' },
});
