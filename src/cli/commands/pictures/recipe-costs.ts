/** `costs` without a record: the cost of each recipe from current prices, and what other prices change. */

import type { Row } from '../../../account/client/shape.ts';
import { recordTitle } from '../../../account/session/record-key.ts';
import { apiOf } from '../../../api/contract/api.ts';
import type { Pictures } from '../../../api/contract/pictures.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { usage } from '../../../base/errors.ts';
import { LintAccount } from '../../../engine/lint/account.ts';
import { recipeCost } from '../../../engine/lint/recipe.ts';
import type { Context } from '../../context/context.ts';
import { formatTable, numberOrNull, type Picture, readAllRecords } from './picture.ts';

type RecipeCost = {
  id: string | null;
  name: string;
  cost: number;
  cost_if: number | null;
  change_percent: number | null;
  price: number | null;
  margin_percent: number | null;
};

/** Returns the costs of all recipes. `prices` are assumed prices of records: `SKU-001=5`. */
export async function drawRecipeCosts(
  resource: Resource,
  { currentCost, recipes }: NonNullable<Pictures['costs']>,
  prices: readonly string[],
  context: Context,
): Promise<Picture> {
  if (!recipes) throw usage(`Name the ${resource.noun}: ${resource.command} have no recipes.`);
  const everything = { filters: [], filter: [] };
  const items = await readAllRecords(context, resource, { ...everything, optional: [recipes.ingredients] });
  const parts: { row: Row; name: string; price: number | null }[] = items.map((row) => ({
    ...{ row, name: recordTitle(resource, row), price: null },
  }));
  for (const { resource: name, list, price } of recipes.sold) {
    const seller = apiOf(resource).resource(name);
    if (!seller?.list) continue;
    for (const owner of await readAllRecords(context, seller, { ...everything, optional: [list] }))
      for (const row of Array.isArray(owner[list]) ? (owner[list] as Row[]) : [])
        parts.push({
          row,
          name: `${recordTitle(seller, owner)}: ${recordTitle(seller, row)}`,
          price: numberOrNull(row[price]),
        });
  }
  const assumed = new Map(prices.map((text) => parsePrice(text, resource, items)));
  const accountOf = (rows: readonly Row[]) =>
    new LintAccount(apiOf(resource), '', new Map([[resource.name, rows]]));
  const [before, after] = [
    accountOf(items),
    accountOf(
      items.map((row) => (assumed.has(row.id) ? { ...row, [currentCost]: assumed.get(row.id) } : row)),
    ),
  ];
  const costs = parts.flatMap(({ row, name, price }): RecipeCost[] => {
    const [cost, costIf] = [recipeCost(row, before), recipeCost(row, after)];
    if (cost === undefined || costIf === undefined) return [];
    if (prices.length > 0 && Math.abs(costIf - cost) < 0.00005) return [];
    return [
      {
        ...{ id: row.id == null ? null : String(row.id), name, cost: round(cost, 4) },
        cost_if: prices.length > 0 ? round(costIf, 4) : null,
        change_percent: prices.length > 0 && cost > 0 ? round((costIf / cost - 1) * 100) : null,
        ...{ price, margin_percent: price ? round((1 - costIf / price) * 100) : null },
      },
    ];
  });
  const number = { align: 'right' as const };
  const columns = [
    { name: 'name', minWidth: 20 },
    { name: 'cost', ...number, isIndivisible: true },
    ...(prices.length > 0
      ? [
          { name: 'cost_if', ...number, isIndivisible: true },
          { name: 'change_percent', ...number, rank: 1 },
        ]
      : []),
    { name: 'price', ...number, rank: 2 },
    { name: 'margin_percent', ...number, rank: 2 },
  ];
  const sentences =
    costs.length === 0
      ? [prices.length > 0 ? 'No recipe changes.' : 'No recipe has a known cost.']
      : costs.map(
          ({ name, cost, cost_if: costIf }) =>
            `${name}: ${cost}${costIf === null ? '' : `, then ${costIf}`}.`,
        );
  return {
    title: 'Costs of recipes',
    data: costs,
    key: 'id',
    sentences,
    drawLines: (display) => (costs.length === 0 ? [...sentences] : formatTable(display, columns, costs)),
    drawHtml: () => '',
  };
}

/** Returns the ID and the price of `SKU-001=5`. Throws `usage` if no record, or several, have this ID or key. */
function parsePrice(
  text: string,
  { key, noun }: Resource,
  items: readonly Row[],
): [id: unknown, price: number] {
  const [, name = '', price = ''] = /^@?(.+)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (name === '') throw usage(`--if takes ${key[0]}=PRICE, such as SKU-001=5.5, not "${text}".`);
  const matches = items.filter((row) => ['id', ...key].some((field) => row[field] === name));
  const [match] = matches;
  if (!match || matches.length > 1)
    throw usage(`--if: ${matches.length === 0 ? 'no' : 'more than one'} ${noun} matches "${name}".`);
  return [match.id, Number(price)];
}

function round(value: number, decimals = 2): number {
  return Number(value.toFixed(decimals));
}
