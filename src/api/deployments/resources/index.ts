/** Resources that several deployments have and that the API document names only by id. To add one, add its file and list it here. */
import type { Resource } from '../../contract/resource.ts';
import { branches } from './branches.ts';
import { combos } from './combos.ts';
import { devices } from './devices.ts';
import { discounts } from './discounts.ts';
import { orders } from './orders.ts';
import { priceTags } from './price-tags.ts';
import { products } from './products.ts';
import { tables } from './tables.ts';
import { warehouses } from './warehouses.ts';

/** The resources, in display order. */
export const commonResources: readonly Resource[] = [
  branches,
  products,
  combos,
  discounts,
  priceTags,
  orders,
  warehouses,
  tables,
  devices,
];
