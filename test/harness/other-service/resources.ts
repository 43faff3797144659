/** All resources of a service that shares no code with boh. */
import type { ResourceData } from './declaration.ts';
import { menuAndPeople } from './menu-and-people.ts';
import { stockAndLoyalty } from './stock-and-loyalty.ts';

/** The resources by path. Targets of relations come before those that store the links. */
export const resources: Readonly<Record<string, ResourceData>> = { ...menuAndPeople, ...stockAndLoyalty };

/** Records that the API document names only by ID. */
export const lookups = [
  ...['branches', 'warehouses', 'products', 'combos', 'discounts', 'price_tags', 'tables', 'orders'],
  ...['devices'],
] as const;

/** Returns the resource at a path. Throws if the test itself is wrong. */
export function requireResource(path: string): ResourceData {
  const data = resources[path];
  if (!data) throw new Error(`The service has no ${path}.`);
  return data;
}
