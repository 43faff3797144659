/** Quotes names in SQL, because some names of the document are keywords: `index`, `groups`, `order`. */

/** Returns a quoted name of a table, column or function. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
