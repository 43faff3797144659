/** Names in SQL: some of the document's are words of the language itself, such as `index`, `groups`, `order`. */

export function quoted(name: string): string {
  return `"${name}"`;
}
