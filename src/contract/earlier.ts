/** What the lines of a record are compared with by people: those of the latest record of its kind before it. */
export interface Earlier {
  /** "last count" */
  label: string;
  /** The relation that both records have in common: the branch. */
  same: string;
  /** What else the other has to be, as filters of its list. */
  filters?: Readonly<Record<string, string>>;
  /** The day that tells the latest. */
  day: string;
  /** Where the differences are worth a look before anything is sent. */
  difference?: {
    /** The field whose change makes the numbers count. */
    when: string;
    /** The field of a related record that says what one of it costs. */
    cost: string;
    /** What the differences do not tell. */
    remark: string;
  };
}
