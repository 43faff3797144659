/** How forms find the previous record of a kind, whose lines people compare with those of a new one. */
export interface PreviousRecord {
  /** What forms call it: "last count". */
  label: string;
  /** The relation that must be the same in both records, for example the branch. */
  same: string;
  /** Further filters of the list that the previous record must match. */
  filters?: Readonly<Record<string, string>>;
  /** The date field that orders the records. */
  day: string;
  /** How forms show the differences before they send the record. */
  difference?: {
    /** The field whose value makes the record take effect. */
    when: string;
    /** The field of a related record with the cost of one unit. */
    cost: string;
    /** A note about what the differences don't show. */
    note: string;
  };
}
