/** How many items of a long list people see before the rest is counted: one number for previews, messages and questions. */

/** Items of a list that are shown; the rest is counted. */
export const maxShownItems = 10;

/** Returns the first items, and a line `and 5 more` where there are others. */
export function firstItems(items: readonly string[]): string[] {
  const rest = items.length - maxShownItems;
  return [...items.slice(0, maxShownItems), ...(rest > 0 ? [`and ${rest} more`] : [])];
}
