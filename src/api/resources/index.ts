/** All resources of the API, in display order. To add one, add its file and list it here. */
import { type Api, defineApi } from '../contract/api.ts';
import { addresses } from './addresses.ts';
import { categories } from './categories.ts';
import { costAdjustments } from './cost-adjustments.ts';
import { customers } from './customers.ts';
import { deliveryZones } from './delivery-zones.ts';
import { giftCardProducts } from './gift-card-products.ts';
import { groups } from './groups.ts';
import { inventoryCounts } from './inventory-counts.ts';
import { inventoryItemCategories } from './inventory-item-categories.ts';
import { inventoryItems } from './inventory-items.ts';
import { loyaltyRewards } from './loyalty-rewards.ts';
import { loyaltyTransactions } from './loyalty-transactions.ts';
import { modifiers } from './modifiers.ts';
import { paymentMethods } from './payment-methods.ts';
import { references } from './references.ts';
import { roles } from './roles.ts';
import { sections } from './sections.ts';
import { suppliers } from './suppliers.ts';
import { tags } from './tags.ts';
import { taxGroups } from './tax-groups.ts';
import { taxes } from './taxes.ts';
import { timedEvents } from './timed-events.ts';
import { transferOrders } from './transfer-orders.ts';
import { users } from './users.ts';
import { whoami } from './whoami.ts';

/** The API that boh uses: all resources, and the records that they only refer to. */
export const api: Api = defineApi({
  resources: [
    customers,
    addresses,
    users,
    roles,
    categories,
    groups,
    modifiers,
    giftCardProducts,
    paymentMethods,
    taxes,
    taxGroups,
    tags,
    sections,
    deliveryZones,
    timedEvents,
    inventoryItemCategories,
    inventoryItems,
    suppliers,
    costAdjustments,
    inventoryCounts,
    transferOrders,
    loyaltyTransactions,
    loyaltyRewards,
    whoami,
  ],
  references,
});
