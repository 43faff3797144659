/** Describes how forms find the previous record, for example the last stock count, whose lines users compare with the new one. */
export interface PreviousRecord {
  /** The name of the previous record in forms: "last count". */
  label: string;
  /** The relation that must be equal in both records, for example the branch. */
  matchingRelation: string;
  /** Other filters of the list that the previous record must match. */
  filters?: Readonly<Record<string, string>>;
  /** The date field that orders the records. */
  dateField: string;
  /** How forms show the differences before they send the record. */
  difference?: {
    /** The field whose value makes the record take effect. */
    effectField: string;
    /** The field of a related record with the cost of one unit. */
    costField: string;
    /** A note about what the differences don't show. */
    note: string;
  };
}
