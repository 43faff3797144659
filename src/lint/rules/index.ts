/** All rules, in the order of the reference. To add one, add an entry to the file of its resource. */
import type { Rule } from '../rule.ts';
import { businessRules } from './business.ts';
import { customerRules } from './customers.ts';
import { deliveryZoneRules } from './delivery-zones.ts';
import { everyResourceRules } from './every-resource.ts';
import { inventoryItemRules } from './inventory-items.ts';
import { menuRules } from './menu.ts';
import { missingValueRules } from './missing-values.ts';
import { sameValueRules } from './same-values.ts';
import { stockDocumentRules } from './stock-documents.ts';
import { supplierRules } from './suppliers.ts';
import { timedEventRules } from './timed-events.ts';
import { roleRules, userRules } from './users.ts';

/** All rules. */
export const rules: readonly Rule[] = [
  ...customerRules,
  ...userRules,
  ...roleRules,
  ...menuRules,
  ...timedEventRules,
  ...businessRules,
  ...deliveryZoneRules,
  ...inventoryItemRules,
  ...supplierRules,
  ...stockDocumentRules,
  ...sameValueRules,
  ...missingValueRules,
  ...everyResourceRules,
];
