/** Rules for suppliers: what they sell, at which cost, and how they are reached. */
import type { Row } from '../../session/row.ts';
import { type LintAccount, listIn, namesOf, numberIn, pivotOf } from '../account.ts';
import type { Rule, Trouble } from '../rule.ts';
import { plausibleFactor } from '../units.ts';

/** Two costs of one item that differ by this factor are hardly both right. */
const implausibleRatio = 10;

const tomatoes = { id: 'tomatoes', name: 'Tomatoes', storage_unit: 'kg', cost: 4.5 };
const tomatoesAt = (cost: number, unit: Row = { order_unit: 'crate', order_to_storage_factor: 6 }) => [
  { id: 'tomatoes', pivot: { ...unit, cost } },
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
      eachLink(
        row,
        account,
        ({ cost, order_to_storage_factor: factor }, name, item) => {
          const perUnit = (numberIn(cost) ?? 0) / (numberIn(factor) ?? 0);
          const own = numberIn(item?.cost) ?? 0;
          if (!(perUnit > 0 && Number.isFinite(perUnit) && own > 0)) return undefined;
          const ratio = perUnit / own;
          return ratio >= implausibleRatio || ratio <= 1 / implausibleRatio
            ? `${name} costs ${perUnit.toFixed(2)} for one storage unit here, and ${own} in stock.`
            : undefined;
        },
        '--cost',
      ),
    bad: { suppliers: [{ name: 'Fresh Farms', items: tomatoesAt(270) }], inventory_items: [tomatoes] },
    good: { items: tomatoesAt(27) },
  },
  {
    name: 'supplier-item-factor-wrong',
    severity: 'error',
    summary: 'Items of a supplier whose order unit holds an impossible number of storage units',
    reason: 'Each delivery adds the wrong quantity to the stock.',
    on: { suppliers: ['items'] },
    needs: { inventory_items: ['name', 'storage_unit'] },
    each: (row, { account }) =>
      eachLink(
        row,
        account,
        ({ order_unit: unit, order_to_storage_factor }, name, item) => {
          const factor = numberIn(order_to_storage_factor);
          if (factor === undefined) return undefined;
          if (factor <= 0) return `The order unit of ${name} holds ${factor} storage units.`;
          const plausible = item && plausibleFactor(unit, item.storage_unit);
          const isRight = !plausible || (factor >= plausible[0] && factor <= plausible[1]);
          return isRight ? undefined : `1 ${unit} of ${name} can't be ${factor} ${item?.storage_unit}.`;
        },
        '--order-to-storage-factor',
      ),
    bad: {
      suppliers: [
        { name: 'Fresh Farms', items: tomatoesAt(27, { order_unit: 'g', order_to_storage_factor: 1000 }) },
      ],
      inventory_items: [tomatoes],
    },
    good: { items: tomatoesAt(27) },
  },
];

type Say = (link: Row, name: string, item: Row | undefined) => string | undefined;

/** Returns what is wrong with the items of a supplier; `flag` is the one that fixes it. */
function eachLink(row: Row, account: LintAccount, say: Say, flag: string): Trouble[] {
  return (listIn(row, 'items') ?? []).flatMap((link) => {
    const id = String(link.id);
    const item = account.find('inventory_items', id);
    const message = say(pivotOf(link), namesOf(account, 'inventory_items', [id]), item);
    const { order_unit: unit = 'UNIT', order_to_storage_factor: factor = 'N' } = pivotOf(link);
    const required = ['--order-unit', String(unit), '--order-to-storage-factor', String(factor)];
    const fix =
      flag === '--order-to-storage-factor'
        ? [...required.slice(0, 2), flag, 'N']
        : [...required, flag, 'COST'];
    return message === undefined ? [] : [{ message, part: id, fix: ['link-item', id, ...fix] }];
  });
}
