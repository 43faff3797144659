/** Names in SQL: some of the document's are words of the language itself, such as `index`, `groups`, `order`. */

/** Returns a name of a table, column or function as SQL takes it, whatever characters it has. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
