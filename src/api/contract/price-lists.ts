/** Declares the price lists that the records of a resource send. */

/** The price lists that a record sends: the link with the prices, and fields of the link and of the linked records. */
export interface PriceLists {
  /** The link, by verb suffix: `item`. */
  link: string;
  /** The fields of the link with the price, the sender's code, the unit of the price, and the storage units in it. */
  cost: string;
  code: string;
  unit: string;
  factor: string;
  /** The fields that identify a linked record in a list, in the order in which they are tried. */
  keys: readonly string[];
  /** The fields of a linked record with its storage unit, and with its cost if `fixedCost` applies. */
  storageUnit: string;
  itemCost: string;
  fixedCost: { field: string; value: number };
  /** The document that changes the costs of linked records: its resource, its links to them, and the cost in these. */
  adjustment: { resource: string; items: string; cost: string };
}
