/** Rules for stock counts, cost adjustments and transfer orders: forgotten ones, and costs that are mistyped. */
import { listIn, nameFor, numberIn, pivotOf, textIn } from '../account.ts';
import { type Rule, type Trouble, wrong } from '../rule.ts';

/** Open documents older than this are forgotten ones. */
const maxOpenDays = 14;

/** A cost that changes by this factor at once is a slip of the keyboard. */
const implausibleRatio = 10;

const opened = ['status', 'business_date', 'created_at'];

export const stockDocumentRules: readonly Rule[] = [
  {
    name: 'document-left-open',
    severity: 'warning',
    summary: `Counts, cost adjustments and transfer orders that have been open for more than ${maxOpenDays} days`,
    reason:
      'Their numbers are out of date: closing a count now would set a wrong stock, and a branch still waits for its goods.',
    on: { inventory_counts: opened, cost_adjustments: opened, transfer_orders: opened },
    each({ status, business_date, created_at }, { resource, account }) {
      // A transfer order is also open when it was sent to the warehouse.
      const open = resource.name === 'transfer_orders' ? [1, 2] : [1];
      const since = textIn(business_date) ?? textIn(created_at);
      const days = account.daysSince(since);
      if (!open.includes(Number(status)) || days === undefined || days <= maxOpenDays) return undefined;
      return wrong(`Has been open since ${since?.slice(0, 10)}, for ${days} days.`, 'get');
    },
    bad: [{ reference: 'IC-0001', status: 1, business_date: '2026-10-01' }],
    good: { status: 2 },
  },
  {
    name: 'cost-changed-tenfold',
    severity: 'warning',
    summary: 'Cost adjustments that raise or lower a cost ten times',
    reason: 'A cost that gains or loses a digit is nearly always mistyped, and every recipe takes it over.',
    on: { cost_adjustments: ['items'] },
    needs: { inventory_items: ['name', 'cost'] },
    each: (row, { account }) =>
      (listIn(row, 'items') ?? []).flatMap((link): Trouble[] => {
        const { cost_per_unit: next, previous_cost_per_unit: before } = pivotOf(link);
        const item = account.find('inventory_items', link.id);
        // A draft has no previous cost yet: the present one is that.
        const [to, from] = [numberIn(next) ?? 0, numberIn(before ?? item?.cost) ?? 0];
        if (to <= 0 || from <= 0 || (to / from < implausibleRatio && from / to < implausibleRatio)) return [];
        const name = nameFor(account, 'inventory_items', String(link.id));
        return [{ message: `The cost of ${name} changes from ${from} to ${to}.`, part: String(link.id) }];
      }),
    bad: [
      {
        reference: 'CA-0001',
        items: [{ id: 'rice', pivot: { cost_per_unit: 45, previous_cost_per_unit: 4.5 } }],
      },
    ],
    good: { items: [{ id: 'rice', pivot: { cost_per_unit: 5, previous_cost_per_unit: 4.5 } }] },
  },
];
