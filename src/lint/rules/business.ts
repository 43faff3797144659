/** Rules for what the whole business shares: tags, sections, taxes, payment methods, categories of items, loyalty. */
import type { Api } from '../../contract/api.ts';
import { idsIn, type LintAccount, numberIn } from '../account.ts';
import { type Reads, type Rule, wrong } from '../rule.ts';

/** The kinds of tags whose records the API lists: customers, inventory items, suppliers and users. */
const listedTagTypes = [1, 3, 5, 6];

const maxTaxPercent = 100;

export const businessRules: readonly Rule[] = [
  {
    name: 'tag-unused',
    severity: 'info',
    summary: 'Tags of customers, items, suppliers and users that no record has',
    reason: 'Filters and events that use the tag find nothing.',
    on: { tags: ['type'] },
    needs: tagged,
    each(row, { account }) {
      if (!listedTagTypes.includes(Number(row.type))) return undefined;
      return account.derived('used tags', () => usedTags(account)).has(String(row.id))
        ? undefined
        : wrong('No record has it.', 'delete');
    },
    bad: {
      tags: [{ name: 'VIP', type: 1 }],
      customers: [{ name: 'Huda', tags: [{ id: 'vip' }] }],
      suppliers: [],
      users: [],
      inventory_items: [],
      timed_events: [],
    },
    good: { id: 'vip' },
  },
  {
    name: 'tax-rate-implausible',
    severity: 'error',
    summary: 'Tax rates below 0, above 100, or written as a fraction',
    reason: 'The rate is in percent: 0.15 is a tax of 15 fils on 100, and every receipt is wrong.',
    on: { taxes: ['rate'] },
    each({ rate: given }) {
      const rate = numberIn(given);
      if (rate === undefined || rate === 0 || (rate >= 1 && rate <= maxTaxPercent)) return undefined;
      return wrong(`The rate is ${rate} %.`, 'update', '--rate', 'PERCENT');
    },
    bad: [{ name: 'VAT', rate: 0.15 }],
    good: { rate: 15 },
  },
  {
    name: 'reward-worth-too-much',
    severity: 'warning',
    summary: 'Loyalty rewards of more than 100 %, or above their own maximum',
    reason: 'The customer gets more than the order costs, or less than the reward promises.',
    on: { loyalty_rewards: ['type', 'amount', 'maximum_discount_amount'] },
    each(row) {
      const [amount, most] = [numberIn(row.amount) ?? 0, numberIn(row.maximum_discount_amount)];
      if (Number(row.type) === 1) return amount > 100 ? `The discount is ${amount} %.` : undefined;
      return most !== undefined && most > 0 && amount > most
        ? `The amount ${amount} is above the maximum discount ${most}.`
        : undefined;
    },
    bad: [{ code: 'R-1', type: 2, amount: 50, maximum_discount_amount: 20 }],
    good: { amount: 20 },
  },
];

/** Returns all relations to tags, by resource. */
function tagged({ collections }: Api): Reads {
  return Object.fromEntries(
    collections.flatMap(({ name, fields, list }) => {
      const own = Object.keys(fields).filter((field) => {
        const type = fields[field]?.traits.only?.value;
        return fields[field]?.traits.target === 'tags' && type !== undefined && listedTagTypes.includes(type);
      });
      return list && own.length > 0 ? [[name, own]] : [];
    }),
  );
}

function usedTags(account: LintAccount): ReadonlySet<string> {
  const all = Object.entries(tagged(account.api));
  return new Set(
    all.flatMap(([name, fields]) =>
      account.rows(name).flatMap((row) => fields.flatMap((field) => idsIn(row[field]))),
    ),
  );
}
