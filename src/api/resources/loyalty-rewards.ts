/** Loyalty rewards: discounts that customers earned and can use once. */
import { choice, code, date, decimal, one } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { createdAndUpdatedAt, id } from './shared-fields.ts';

/** The fields, filters and operations of loyalty rewards. */
export const loyaltyRewards = resource({
  path: '/loyalty_rewards',
  one: 'loyalty-reward',
  group: 'loyalty',
  summary: 'Discounts earned by customers',
  key: [],
  exampleKey: 'loyalty-reward-1',
  columns: ['id', 'code', 'customer', 'type', 'amount', 'maximum_discount_amount', 'valid_to', 'order'],
  fields: () => ({
    id,
    type: choice({ percentage: 1, 'fixed amount': 2 }).describe(
      'Whether the amount is a percentage or a fixed amount',
    ),
    valid_to: date().describe('Last day of validity'),
    amount: decimal().describe('Discount, in percent or currency depending on the type'),
    maximum_discount_amount: decimal().unit('currency').describe('Maximum discount'),
    code: code().unique().describe('Redemption code'),
    customer: one('customers').includable().describe('Customer who earned the reward'),
    order: one('orders')
      .nullable()
      .includable()
      .describe('Order in which the reward was redeemed; null before'),
    ...createdAndUpdatedAt,
  }),
  list: { scope: 'customers.loyalty.read', filters: ['customer_id', 'order_id', 'updated_after'] },
  get: { scope: 'customers.loyalty.read' },
  actions: {
    redeem: {
      // The API document says GET; some deployments accept only PUT (setting wire.redeem_method).
      method: 'GET',
      alternate: 'PUT',
      scope: 'customers.loyalty.write',
      description: 'Redeem a reward in an order',
      pastTense: 'redeemed',
      fields: () => ({
        order: one('orders')
          .required()
          .writable()
          .describe('Order in which to redeem the reward')
          .example('order-1'),
      }),
    },
  },
});
