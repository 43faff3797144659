/** Rules for tags and loyalty rewards. */
import { exceedsLimit, toNumber } from '../../../base/number-text.ts';
import { idsIn } from '../account.ts';
import { issue, type Rule } from '../rule.ts';

/** The kinds of tags whose records the API lists: customers, inventory items, suppliers and users. */
const listedTagTypes = [1, 3, 5, 6];
const tagged = { customers: ['tags'], users: ['tags'], suppliers: ['tags'], inventory_items: ['tags'] };
const needs = { ...tagged, timed_events: ['customer_tags'] };

/** The rules about tags and loyalty rewards. */
export const businessRules: readonly Rule[] = [
  {
    name: 'tag-unused',
    severity: 'info',
    summary: 'Tags of customers, items, suppliers and users that no record has',
    reason: 'Filters and events that use the tag match no records.',
    checks: { tags: ['type'] },
    needsWholeLists: true,
    needs,
    checkRecord(row, { account }) {
      if (!listedTagTypes.includes(Number(row.type))) return undefined;
      const usedTags = account.memoize('used tags', () => {
        const taggedRecords = Object.keys(needs).flatMap((name) => account.rows(name));
        return new Set(taggedRecords.flatMap(({ tags, customer_tags }) => idsIn([tags, customer_tags])));
      });
      return usedTags.has(String(row.id)) ? undefined : issue('No record has this tag.', 'delete');
    },
    bad: { tags: [{ name: 'VIP', type: 1 }], customers: [{ name: 'Huda', tags: [{ id: 'vip' }] }] },
    good: { id: 'vip' },
  },
  {
    name: 'reward-worth-too-much',
    severity: 'warning',
    summary: 'Loyalty rewards of more than 100%, or above their maximum discount',
    reason: 'The customer gets more than the order costs, or less than the reward promises.',
    checks: { loyalty_rewards: ['type', 'amount', 'maximum_discount_amount'] },
    checkRecord(row) {
      const [amount, maximum] = [toNumber(row.amount) ?? 0, row.maximum_discount_amount];
      if (Number(row.type) === 1) return amount > 100 ? `The discount is ${amount}%.` : undefined;
      return exceedsLimit(amount, maximum)
        ? `The amount ${amount} is above the maximum discount ${maximum}.`
        : undefined;
    },
    bad: [{ code: 'R-1', type: 2, amount: 50, maximum_discount_amount: 20 }],
    good: { amount: 20 },
  },
];
