/** All rules, in the order of the reference. To add a rule, add an entry to the file of its resource. */
import type { Rule } from '../rule.ts';
import { businessRules } from './business.ts';
import { customerRules } from './customers.ts';
import { deliveryZoneRules } from './delivery-zones.ts';
import { everyResourceRules } from './every-resource.ts';
import { inventoryItemRules } from './inventory-items.ts';
import { menuRules } from './menu.ts';
import { supplyRules } from './supply.ts';
import { timedEventRules } from './timed-events.ts';
import { userRules } from './users.ts';
import { valueRules } from './values.ts';

export const rules: readonly Rule[] = [
  ...customerRules,
  ...userRules,
  ...menuRules,
  ...timedEventRules,
  ...businessRules,
  ...deliveryZoneRules,
  ...inventoryItemRules,
  ...supplyRules,
  ...valueRules,
  ...everyResourceRules,
];
