/** What ties a supplier to an inventory item: how it is ordered and what it costs there. */
import { decimal, text } from '../contract/field.ts';

/** Document: "Supplier item link". Both sides of the link show these under `pivot`. */
export const supplierItem = {
  order_unit: text().required().writable().about('The unit it is ordered in').example('crate'),
  order_to_storage_factor: decimal()
    .required()
    .writable()
    .unit('storage units in one order unit')
    .about('How much arrives for one order unit')
    .example(12),
  minimum_order_quantity: decimal()
    .nullable()
    .writable()
    .unit('order units')
    .about('The least that can be ordered')
    .example(2),
  cost: decimal()
    .writable()
    .unit('currency for one order unit')
    .about('What it costs from this supplier')
    .example(36.5),
  code: text().writable().about('The supplier’s own code for it').example('FF-TOM-12'),
};
