/** Rules for suppliers, stock counts, cost adjustments and transfer orders: mistyped costs, and documents left open. */

import { linksIn, pivotOf } from '../../../account/session/record-body.ts';
import { toNumber } from '../../../base/number-text.ts';
import { nameOfRecord, trimmedText } from '../account.ts';
import { type Issue, issue, type Rule } from '../rule.ts';

/** Documents that have been open for longer were probably forgotten. */
const maxOpenDays = 14;

/** If two costs of an item differ by this factor, one of them is probably wrong. */
const implausibleRatio = 10;

const openDocumentFields = ['status', 'business_date', 'created_at'];

const rice = (pivot: object) => [{ id: 'rice', pivot }];
const crate = { order_unit: 'crate', order_to_storage_factor: 6 };

/** The rules about suppliers and stock documents. */
export const supplyRules: readonly Rule[] = [
  {
    name: 'supplier-item-cost-implausible',
    severity: 'warning',
    summary: 'Supplier items whose cost differs from the stock cost by a factor of ten or more',
    reason: 'The cost or the order-to-storage factor is probably off by a factor of ten.',
    checks: { suppliers: ['items'] },
    needs: { inventory_items: ['name', 'cost'] },
    checkRecord: (row, { account }) =>
      (linksIn(row, 'items') ?? []).flatMap((link): Issue[] => {
        const { cost, order_unit: unit, order_to_storage_factor: factor } = pivotOf(link);
        const [id, item] = [String(link.id), account.find('inventory_items', link.id)];
        const costPerStorageUnit = (toNumber(cost) ?? 0) / (toNumber(factor) ?? 0);
        if (!isMistyped(costPerStorageUnit, toNumber(item?.cost) ?? 0)) return [];
        const name = nameOfRecord(account, 'inventory_items', id);
        const message = `${name} costs ${costPerStorageUnit.toFixed(2)} per storage unit from this supplier; its stock cost is ${item?.cost}.`;
        const units = ['--order-unit', String(unit), '--order-to-storage-factor', String(factor)];
        return [{ message, part: id, fix: ['link-item', id, ...units, '--cost', 'COST'] }];
      }),
    bad: {
      suppliers: [{ name: 'Fresh Farms', items: rice({ ...crate, cost: 270 }) }],
      inventory_items: [{ id: 'rice', name: 'Rice', cost: 4.5 }],
    },
    good: { items: rice({ ...crate, cost: 27 }) },
  },
  {
    name: 'document-left-open',
    severity: 'warning',
    summary: `Counts, cost adjustments and transfer orders that have been open for more than ${maxOpenDays} days`,
    reason:
      'Closing an old count would set the wrong stock levels, and a branch may still be waiting for its goods.',
    checks: {
      inventory_counts: openDocumentFields,
      cost_adjustments: openDocumentFields,
      transfer_orders: openDocumentFields,
    },
    checkRecord({ status, business_date, created_at }, { resource, account }) {
      // A transfer order is also open when it was sent to the warehouse.
      const openStatuses = resource.name === 'transfer_orders' ? [1, 2] : [1];
      const since = trimmedText(business_date) ?? trimmedText(created_at);
      const days = account.daysSince(since);
      if (!openStatuses.includes(Number(status)) || days === undefined || days <= maxOpenDays)
        return undefined;
      return issue(`The document has been open since ${since?.slice(0, 10)}, for ${days} days.`, 'get');
    },
    bad: [{ reference: 'IC-0001', status: 1, business_date: '2026-10-01' }],
    good: { status: 2 },
  },
  {
    name: 'quantity-negative',
    severity: 'warning',
    summary: 'Counts, transfer orders and recipes with a negative quantity',
    reason: 'A negative quantity adds stock that should be removed, or removes stock that should be added.',
    checks: { inventory_counts: ['items'], transfer_orders: ['items'], inventory_items: ['ingredients'] },
    checkRecord: (row, { account }) =>
      (linksIn(row, 'items') ?? linksIn(row, 'ingredients') ?? []).flatMap((link): Issue[] => {
        const [id, { quantity }] = [String(link.id), pivotOf(link)];
        if ((toNumber(quantity) ?? 0) >= 0) return [];
        const name = trimmedText(link.name) ?? nameOfRecord(account, 'inventory_items', id);
        return [{ message: `The quantity of ${name} is ${quantity}.`, part: id }];
      }),
    bad: [{ reference: 'IC-0002', items: rice({ quantity: -4 }) }],
    good: { items: rice({ quantity: 4 }) },
  },
  {
    name: 'cost-changed-tenfold',
    severity: 'warning',
    summary: 'Cost adjustments that change a cost by a factor of ten or more',
    reason: 'A cost with a digit too many or too few is nearly always mistyped, and every recipe uses it.',
    checks: { cost_adjustments: ['items'] },
    needs: { inventory_items: ['name', 'cost'] },
    checkRecord: (row, { account }) =>
      (linksIn(row, 'items') ?? []).flatMap((link): Issue[] => {
        const { cost_per_unit: cost, previous_cost_per_unit: previousCost } = pivotOf(link);
        const item = account.find('inventory_items', link.id);
        // A draft has no previous cost yet: the current cost is used.
        const [newCost, oldCost] = [toNumber(cost) ?? 0, toNumber(previousCost ?? item?.cost) ?? 0];
        if (!isMistyped(oldCost, newCost)) return [];
        const name = nameOfRecord(account, 'inventory_items', String(link.id));
        const message = `The cost of ${name} changes from ${oldCost} to ${newCost}.`;
        return [{ message, part: String(link.id), fix: ['get'] }];
      }),
    bad: [{ reference: 'CA-0001', items: rice({ cost_per_unit: 45, previous_cost_per_unit: 4.5 }) }],
    good: { items: rice({ cost_per_unit: 5, previous_cost_per_unit: 4.5 }) },
  },
];

function isMistyped(a: number, b: number): boolean {
  const areComparable = a > 0 && b > 0 && Number.isFinite(a);
  return areComparable && Math.max(a / b, b / a) >= implausibleRatio;
}
