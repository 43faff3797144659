/** Rules for the menu: categories, groups, modifiers with their options, and gift card products. */

import { linksIn, pivotOf } from '../../../account/session/record-body.ts';
import { recordTitle } from '../../../account/session/record-key.ts';
import type { Row } from '../../../account/session/row.ts';
import { toNumber } from '../../../base/number-text.ts';
import { percentChange } from '../../runs/limits.ts';
import { idsIn, trimmedText } from '../account.ts';
import { fromIngredients, recipeCost, recipeFields } from '../recipe.ts';
import { type Issue, issue, type Rule } from '../rule.ts';

/** A larger price difference between branches is probably a mistake. */
const maxPriceDifferencePercent = 50;

const tahini = { id: 'a', name: 'Tahini', costing_method: 1, price: 2.5, cost: 0.75 };

export const menuRules: readonly Rule[] = [
  {
    name: 'option-below-cost',
    severity: 'error',
    summary: 'Options that are sold below their cost, or the cost of their ingredients',
    reason:
      'Every sale of the option loses money. Options with the price 0 are included in a product and not checked.',
    checks: { modifiers: ['options'] },
    needs: { inventory_items: recipeFields },
    checkRecord: (row, { account }) =>
      (linksIn(row, 'options') ?? []).flatMap((option): Issue[] => {
        const isRecipe = Number(option.costing_method) === fromIngredients;
        const cost = isRecipe ? recipeCost(option, account) : toNumber(option.cost);
        const pricedEntries = [option, ...(linksIn(option, 'branches') ?? []).map(pivotOf)];
        const price = Math.min(...pricedEntries.flatMap(({ price }) => toNumber(price) || []));
        if (cost === undefined || !Number.isFinite(price) || price >= cost) return [];
        const message = `The option ${option.name} costs ${Number(cost.toFixed(2))} and is sold for ${price}.`;
        // Options of a file have no ID yet.
        return [{ message, part: String(option.id ?? option.name) }];
      }),
    bad: [{ options: [{ ...tahini, price: 0.5 }] }],
    good: { options: [tahini] },
  },
  {
    name: 'option-price-differs-by-branch',
    severity: 'warning',
    summary: `Options whose price in a branch differs by more than ${maxPriceDifferencePercent}%`,
    reason: 'A price change did not reach the branch, or its price was mistyped.',
    checks: { modifiers: ['options'] },
    checkRecord: (row) =>
      (linksIn(row, 'options') ?? []).flatMap((option) => {
        const optionPrice = toNumber(option.price) ?? 0;
        return (linksIn(option, 'branches') ?? []).flatMap((branch): Issue[] => {
          const branchPrice = toNumber(pivotOf(branch).price);
          const percent = percentChange(optionPrice, branchPrice ?? optionPrice) ?? 0;
          if (Math.abs(percent) <= maxPriceDifferencePercent) return [];
          const branchName = trimmedText(branch.name) ?? branch.id;
          const message = `The option ${option.name} costs ${branchPrice} in ${branchName} and ${optionPrice} elsewhere.`;
          return [{ message, part: `${option.id ?? option.name}/${branch.id}` }];
        });
      }),
    bad: [{ options: [{ ...tahini, branches: [{ id: 'airport', pivot: { price: 25 } }] }] }],
    good: { options: [tahini] },
  },
  {
    name: 'gift-card-price-zero',
    severity: 'error',
    summary: 'Gift cards with the fixed price 0, although others in the category have a price',
    reason: 'A gift card with the price 0 gives money away.',
    checks: { gift_card_products: ['name', 'pricing_method', 'price', 'category'] },
    checkRecord(row, { resource, account }) {
      const [category] = idsIn(row.category);
      const isFree = (other: Row) => other.price !== undefined && (toNumber(other.price) ?? 0) === 0;
      if (Number(row.pricing_method) !== 1 || !isFree(row)) return undefined;
      const isPricedInCategory = (other: Row) => idsIn(other.category)[0] === category && !isFree(other);
      const other = account.rows(resource.name).find(isPricedInCategory);
      if (!other) return undefined;
      const message = `The price is 0; the price of ${recordTitle(resource, other)} is ${other.price}.`;
      return issue(message, 'update', '--price', 'PRICE');
    },
    bad: [
      { name: 'Gift Card 100', pricing_method: 1, price: 100, category: { id: 'gifts' } },
      { name: 'Gift Card 250', pricing_method: 1, price: 0, category: { id: 'gifts' } },
    ],
    good: { price: 250 },
  },
];
