/** The link between a supplier and an inventory item: order unit, minimum quantity and cost. */
import { code, decimal, text } from '../contract/field.ts';

/** API document: "Supplier item link". Supplier and item both show these fields under `pivot`. */
export const supplierItem = {
  order_unit: text().required().writable().describe('Unit for orders').example('crate'),
  order_to_storage_factor: decimal()
    .required()
    .writable()
    .unit('storage units in one order unit')
    .describe('Conversion from order unit to storage unit')
    .example(12),
  minimum_order_quantity: decimal()
    .nullable()
    .writable()
    .unit('order units')
    .describe('Minimum order quantity')
    .example(2),
  cost: decimal()
    .writable()
    .unit('currency for one order unit')
    .describe('Cost from this supplier')
    .example(36.5),
  code: code().writable().describe("The supplier's code for the item").example('FF-TOM-12'),
};
