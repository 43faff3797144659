/** Lists the events that users can subscribe to. API document: "Events". */

/** The notification types, each with its event. */
export const notifications = {
  inventory_item_quantity_below_minimum_level: "an item's stock falls below its minimum level",
  inventory_item_quantity_above_maximum_level: "an item's stock rises above its maximum level",
  inventory_item_quantity_below_zero: "an item's stock falls below zero",
  inventory_business_date_ended: 'the business day of the inventory ends',
  new_purchasing_inventory_transaction: 'goods are purchased',
  new_transfer_sending_inventory_transaction: 'goods are sent to another location',
  new_transfer_receiving_inventory_transaction: 'goods from another location are received',
  new_production_inventory_transaction: 'items are produced from ingredients',
  new_quantity_adjustment_inventory_transaction: 'a quantity is adjusted',
  new_cost_adjustment_inventory_transaction: 'a cost is adjusted',
  new_count_inventory_transaction: 'stock is counted',
  new_return_to_supplier_inventory_transaction: 'goods are returned to a supplier',
  new_transfer_order: 'a branch asks a warehouse for goods',
  new_pending_transfer_receiving: 'a transfer is waiting to be received',
  new_pending_purchase_order: 'a purchase order is waiting for approval',
  // These occur in the samples of users, but not in the API document's table of types.
  cost_adjustment_transaction_closed: 'a cost adjustment is closed',
  count_transaction_closed: 'an inventory count is closed',
} as const;

/** A notification type, with the API's name. */
export type NotificationType = keyof typeof notifications;

/** All notification types. */
export const notificationTypes = Object.keys(notifications) as NotificationType[];
