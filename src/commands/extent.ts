/** How much of a command is made for a line. */
export interface Extent {
  /** Unless it is said, the flags of the verb are made; a line that names none of them goes without. */
  withFlags?: boolean;
}
