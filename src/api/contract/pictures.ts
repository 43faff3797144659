/** Declares the pictures that a resource can have, with the fields that each picture uses. */

/** The abbreviated days of the week, in the order of the API document. */
export const weekdays = ['sat', 'sun', 'mon', 'tue', 'wed', 'thu', 'fri'] as const;
/** An abbreviated day of the week. */
export type Weekday = (typeof weekdays)[number];

/** Documents with lines about records of the resource, for example `cost_adjustments` about inventory items. */
export interface PictureLines {
  /** The resource of the documents, and the field with their lines. */
  documents: string;
  lines: string;
  /** The field with the number, in the pivot of a line. */
  number: string;
  /** The fields of a document with its day and its branch. */
  day: string;
  branch: string;
  /** Documents are final if this field has this word; others can still change. */
  final: { field: string; word: string };
}

/** The pictures of a resource. Names are fields of the resource unless stated otherwise; the contract check verifies them. */
export interface Pictures {
  /** Areas on a map: the fields with the border, the branches and the code of an area. */
  map?: { border: string; branches: string; code: string };
  week?: {
    days: Readonly<Record<Weekday, string>>;
    fromTime: string;
    toTime: string;
    fromDate: string;
    toDate: string;
    isActive: string;
    /** The field with the effect of an event. */
    effect: string;
    value: string;
    /** Relations that limit where an event applies; empty means everywhere. Events overlap only if they share a record of each. */
    sharedScope: readonly string[];
    /** Relations to the records that an event applies to. Events overlap if they share a record, or if this is unknown. */
    appliesTo: readonly string[];
  };
  /** The costs of a record over time: the fields with the current cost, its unit, and the cost before a document. */
  costs?: PictureLines & {
    currentCost: string;
    unit: string;
    previousCost: string;
    /** The field with the ingredients of a recipe, and the lists of other resources with recipes that are sold at a price. */
    recipes?: { ingredients: string; sold: readonly { resource: string; list: string; price: string }[] };
  };
  /**
   * The differences of a document from the expected quantities: the field with its lines, and the fields of a line with
   * the difference as a quantity, in money and in percent.
   */
  variance?: {
    lines: string;
    quantity: string;
    money: string;
    percent: string;
    day: string;
    branch: string;
  };
  /** The stock of a record compared with its levels. */
  levels?: PictureLines & {
    minimum: string;
    par: string;
    maximum: string;
    unit: string;
    branches: string;
    code: string;
    /** The relation to the suppliers, and the fields of its link: how a supplier sells the record. */
    order?: { suppliers: string; unit: string; factor: string; minimum: string; cost: string; code: string };
  };
}
