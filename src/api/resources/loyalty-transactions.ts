/** Loyalty transactions: the loyalty credit that customers earned with orders. Read-only. */
import { boolean, date, decimal, ids, one, timestamp } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { createdAndUpdatedAt, id } from './shared-fields.ts';

/** The fields, filters and operations of loyalty transactions. */
export const loyaltyTransactions = resource({
  path: '/loyalty_transactions',
  one: 'loyalty-transaction',
  group: 'loyalty',
  summary: 'Loyalty credit earned with orders',
  key: [],
  exampleKey: 'loyalty-transaction-1',
  columns: ['id', 'business_date', 'customer', 'order', 'amount', 'redeemable_at', 'is_redeemed'],
  fields: () => ({
    id,
    business_date: date().describe('Business day of the order'),
    amount: decimal().unit('currency').describe('Order amount minus returns'),
    redeemable_at: timestamp().nullable().describe('When the amount starts to count towards a reward'),
    returns: ids().nullable().describe('Order returns that reduced the amount'),
    is_redeemed: boolean().describe('Whether the amount was used for a reward'),
    customer: one('customers').includable().describe('Customer who earned the credit'),
    order: one('orders').includable().describe('Order that earned the credit'),
    ...createdAndUpdatedAt,
  }),
  list: { scope: 'customers.loyalty.read', filters: ['customer_id', 'order_id', 'updated_after'] },
  get: { scope: 'customers.loyalty.read' },
});
