/** Rules for suppliers: what they sell, and at which cost. */
import { listIn, nameFor, numberIn, pivotOf } from '../account.ts';
import type { Rule, Trouble } from '../rule.ts';

/** Two costs of one item that differ by this factor are hardly both right. */
const implausibleRatio = 10;

const tomatoesAt = (cost: number) => [
  { id: 'tomatoes', pivot: { order_unit: 'crate', order_to_storage_factor: 6, cost } },
];

export const supplierRules: readonly Rule[] = [
  {
    name: 'supplier-item-cost-implausible',
    severity: 'warning',
    summary: 'Items of a supplier that cost ten times as much, or a tenth, of the cost in stock',
    reason: 'Either the cost or the number of storage units in an order unit is wrong by a digit.',
    on: { suppliers: ['items'] },
    needs: { inventory_items: ['name', 'cost'] },
    each: (row, { account }) =>
      (listIn(row, 'items') ?? []).flatMap((link): Trouble[] => {
        const { cost, order_unit: unit, order_to_storage_factor: factor } = pivotOf(link);
        const [id, item] = [String(link.id), account.find('inventory_items', link.id)];
        const perUnit = (numberIn(cost) ?? 0) / (numberIn(factor) ?? 0);
        const ratio = perUnit / (numberIn(item?.cost) ?? 0);
        const isKnown = perUnit > 0 && Number.isFinite(ratio);
        if (!isKnown || (ratio < implausibleRatio && ratio > 1 / implausibleRatio)) return [];
        const name = nameFor(account, 'inventory_items', id);
        const message = `${name} costs ${perUnit.toFixed(2)} for one storage unit here, and ${item?.cost} in stock.`;
        const units = ['--order-unit', String(unit), '--order-to-storage-factor', String(factor)];
        return [{ message, part: id, fix: ['link-item', id, ...units, '--cost', 'COST'] }];
      }),
    bad: {
      suppliers: [{ name: 'Fresh Farms', items: tomatoesAt(270) }],
      inventory_items: [{ id: 'tomatoes', name: 'Tomatoes', cost: 4.5 }],
    },
    good: { items: tomatoesAt(27) },
  },
];
