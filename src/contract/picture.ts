/** What a resource can be drawn as, and the fields that each picture is drawn from: a fact beside its other facts. */
/** The days of the week as programs and people abbreviate them, from the first day that the document names. */
export const weekdays = ['sat', 'sun', 'mon', 'tue', 'wed', 'thu', 'fri'] as const;
export type Weekday = (typeof weekdays)[number];

/** Lines of documents about the resource's records, as `cost_adjustments` has lines about items. */
export interface Lines {
  /** The resource of the documents, and their field that holds the lines. */
  documents: string;
  lines: string;
  /** The number that a line is about, in its pivot. */
  number: string;
  /** Fields of the document: the day it counts for, and where. */
  day: string;
  place: string;
  /** Only documents in which this field has this word are done; others may still change. */
  done: { field: string; is: string };
}

/** Every name is a field of the resource, unless it says otherwise; the checks on the contract hold them to that. */
export interface Pictures {
  /** Areas on a map: the field with the border, the records that an area belongs to, and what people call it besides its name. */
  map?: { border: string; branches: string; code: string };
  /** What happens in a week. */
  week?: {
    days: Readonly<Record<Weekday, string>>;
    fromTime: string;
    toTime: string;
    fromDate: string;
    toDate: string;
    isActive: string;
    /** What it does, in words. */
    effect: string;
    value: string;
    /** Two of them can only meet where they share one of each of these; empty means all. */
    within: readonly string[];
    /** What they apply to. Lists of records: they meet where they share one, or where it can't be known. */
    on: readonly string[];
  };
  /** What a record has cost over time. */
  costs?: Lines & { now: string; unit: string; before: string };
  /** How much of a record there is, against what there should be. */
  levels?: Lines & {
    minimum: string;
    par: string;
    maximum: string;
    unit: string;
    branches: string;
    code: string;
  };
}
