/** The pictures that a resource can have, with the fields that each one uses. */

/** Abbreviated days of the week, in the document's order. */
export const weekdays = ['sat', 'sun', 'mon', 'tue', 'wed', 'thu', 'fri'] as const;
/** An abbreviated day of the week. */
export type Weekday = (typeof weekdays)[number];

/** Where documents have lines about records of the resource, for example `cost_adjustments` about items. */
export interface Lines {
  /** The resource of the documents, and its field with the lines. */
  documents: string;
  lines: string;
  /** The field of a line's pivot with the number. */
  number: string;
  /** The document's fields for its day and its branch. */
  day: string;
  place: string;
  /** Only documents with this word in this field are final; others may still change. */
  done: { field: string; is: string };
}

/** The pictures of a resource. Names are fields of the resource unless stated otherwise; the contract check verifies them. */
export interface Pictures {
  /** Areas on a map: the fields with the border, the branches and the code of an area. */
  map?: { border: string; branches: string; code: string };
  /** The events of a week. */
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
    /** Relations that limit where an event applies; empty means everywhere. Events overlap only if they share one of each. */
    within: readonly string[];
    /** Relations to what an event applies to. Events overlap if they share a record, or if that isn't known. */
    on: readonly string[];
  };
  /** The costs of a record over time. */
  costs?: Lines & { now: string; unit: string; before: string };
  /** The stock of a record compared with its levels. */
  levels?: Lines & {
    minimum: string;
    par: string;
    maximum: string;
    unit: string;
    branches: string;
    code: string;
  };
}
