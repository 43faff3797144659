/** Price tags: names of alternative prices, for example of delivery apps. */
import { readOnly } from './read-only.ts';

/** The fields and filters of price tags. */
export const priceTags = readOnly({
  path: '/price_tags',
  one: 'price-tag',
  group: 'menu',
  summary: 'Names of alternative prices',
  key: [],
  exampleKey: 'Delivery',
  fields: () => ({}),
});
