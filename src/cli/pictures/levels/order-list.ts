/** Lists what to order from each supplier to reach the par levels, in the units and minimum quantities of the supplier. */

import type { ItemLevel } from './compare-levels.ts';

/** A supplier of an item. The cost is for one order unit, and the factor is the number of storage units in it. */
export interface ItemSupplier {
  name: string;
  unit: string | null;
  factor: number;
  minimum: number | null;
  cost: number | null;
  code: string | null;
}

export type OrderLine = {
  /** Null if the item has no supplier: the quantity is then in storage units. */
  supplier: string | null;
  branch: string | null;
  id: string;
  name: string;
  code: string | null;
  quantity: number;
  unit: string | null;
  cost: number | null;
  /** What is missing to par, in storage units. */
  missing: number;
  counted_on: string | null;
};

/** Returns a line for each counted item below par, from the cheapest of its suppliers, sorted by supplier and branch. */
export function orderLines(
  levels: readonly ItemLevel[],
  suppliersOf: ReadonlyMap<string, readonly ItemSupplier[]>,
): OrderLine[] {
  const lines = levels.flatMap(({ item, branch, par, counted, day }): OrderLine[] => {
    if (par === null || counted === null || counted >= par) return [];
    const missing = round(par - counted);
    const [supplier] = (suppliersOf.get(item.id) ?? []).toSorted((a, b) => unitCost(a) - unitCost(b));
    const quantity = supplier ? orderQuantity(missing, supplier) : missing;
    return [
      {
        ...{ supplier: supplier?.name ?? null, branch: branch?.name ?? null, id: item.id, name: item.name },
        ...{ code: supplier?.code ?? null, quantity, unit: supplier ? supplier.unit : item.unit },
        cost: supplier?.cost == null ? null : round(quantity * supplier.cost),
        ...{ missing, counted_on: day },
      },
    ];
  });
  const keyOf = ({ supplier, branch, name }: OrderLine) =>
    [supplier === null, supplier, branch, name].join('\n');
  return lines.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function unitCost({ cost, factor }: ItemSupplier): number {
  return cost === null ? Number.POSITIVE_INFINITY : cost / factor;
}

function orderQuantity(missing: number, { factor, minimum }: ItemSupplier): number {
  // 12.000000001 units are 12 units.
  return Math.max(Math.ceil(round(missing / factor)), minimum ?? 0);
}

/** An order to one supplier for one branch. */
export interface Order {
  title: string;
  lines: readonly OrderLine[];
  cost: number;
}

export function ordersOf(lines: readonly OrderLine[]): Order[] {
  const groups = Map.groupBy(lines, ({ supplier, branch }) => JSON.stringify([supplier, branch]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { supplier, branch } = first;
    const days = [...new Set(group.map(({ counted_on: countedOn }) => countedOn ?? ''))].sort();
    const [day] = days.slice(-1);
    const place = branch === null ? '' : ` for ${branch}`;
    const title = `${supplier ?? 'No supplier'}${place}${day ? `, from ${days.length > 1 ? 'counts up to' : 'the count of'} ${day}` : ''}`;
    return [{ title, lines: group, cost: round(group.reduce((sum, { cost }) => sum + (cost ?? 0), 0)) }];
  });
}

/** Returns the orders as text to send. */
export function describeOrders(orders: readonly Order[]): string[] {
  if (orders.length === 0) return ['Nothing to order: no counted item is below par.'];
  return orders.flatMap(({ title, lines }) => [
    `${title}:`,
    ...lines.map(({ quantity, unit, name, code }) =>
      `- ${quantity} ${unit ?? ''} ${name}${code === null ? '' : ` (${code})`}`.replaceAll(/ +/g, ' '),
    ),
  ]);
}

function round(number: number): number {
  return Number(number.toFixed(4));
}
