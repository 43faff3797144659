/** Limits long lists in previews, messages and questions to the same number of items. */

/** The maximum number of items shown of a list. The others are only counted. */
export const maxShownItems = 10;

/** Returns the first items in a sentence: `a, b and 1,200 more`. */
export function joinItems(items: readonly unknown[], max = maxShownItems): string {
  const rest = items.length - max;
  // `toLocaleString` is called only if needed, because the first call takes 14 ms.
  return items.slice(0, max).join(', ') + (rest > 0 ? ` and ${rest.toLocaleString('en-US')} more` : '');
}

/** Returns the first items, and a line such as `and 5 more` if there are others. */
export function truncateItems(items: readonly string[]): string[] {
  const rest = items.length - maxShownItems;
  return [...items.slice(0, maxShownItems), ...(rest > 0 ? [`and ${rest} more`] : [])];
}
