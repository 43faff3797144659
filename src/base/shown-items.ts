/** Formats counts, and limits long lists in previews, messages and questions to the same number of items. */

/** Formats a count with thousands separators: "1,234". The first call of `toLocaleString` takes 14 ms. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** The maximum number of displayed items of a list. The others are only counted. */
export const maxShownItems = 10;

/** Joins the first items for a sentence: `a, b and 1,200 more`. */
export function joinItems(items: readonly unknown[], max = maxShownItems): string {
  const remaining = items.length - max;
  return items.slice(0, max).join(', ') + (remaining > 0 ? ` and ${formatCount(remaining)} more` : '');
}

/** Truncates a list to its first items, and adds a line such as `and 5 more` if there are others. */
export function truncateItems(items: readonly string[]): string[] {
  const remaining = items.length - maxShownItems;
  return [...items.slice(0, maxShownItems), ...(remaining > 0 ? [`and ${remaining} more`] : [])];
}
