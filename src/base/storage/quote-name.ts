/** Quotes names in SQL: some names in the API document are SQL keywords, such as `index`, `groups` and `order`. */

/** Quotes the name of a table, column or function. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
