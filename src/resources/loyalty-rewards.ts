/** Loyalty rewards: discounts that customers have earned and may use once. */
import { choice, date, decimal, one, text } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { id, writtenAt } from './shared-fields.ts';

export const loyaltyRewards = resource({
  path: '/loyalty_rewards',
  one: 'loyalty-reward',
  group: 'loyalty',
  summary: 'Discounts that customers have earned',
  key: [],
  known: 'loyalty-reward-1',
  columns: ['id', 'code', 'customer', 'type', 'amount', 'maximum_discount_amount', 'valid_to', 'order'],
  fields: () => ({
    id,
    type: choice({ percentage: 1, 'fixed amount': 2 }).about('What the amount means'),
    valid_to: date().about('The last day it can be used'),
    amount: decimal().about('The discount: percent or currency, as the type has it'),
    maximum_discount_amount: decimal().unit('currency').about('The most it takes off'),
    code: text().unique().about('The code it is redeemed with'),
    customer: one('customers').includable().about('Who earned it'),
    order: one('orders').nullable().includable().about('The order it was used in; null until then'),
    ...writtenAt,
  }),
  list: { scope: 'customers.loyalty.read', filters: ['customer_id', 'order_id', 'updated_after'] },
  get: { scope: 'customers.loyalty.read' },
  actions: {
    redeem: {
      // The document's own method; deployments take the other, as the setting wire.redeem_method says.
      method: 'GET',
      alternate: 'PUT',
      scope: 'customers.loyalty.write',
      about: 'Use a reward in an order',
      done: 'redeemed',
      fields: () => ({
        order: one('orders').required().writable().about('The order it is used in').example('order-1'),
      }),
    },
  },
});
