/** Reads a field of a record by its path, such as `tags.name`. */

/** A record that is shown, by the names of its fields. */
export type ShownRow = Readonly<Record<string, unknown>>;

/**
 * Returns the value at `path`, or undefined. A name after a list is read from each of its items: `tags.name` is an array.
 * A field whose name contains a dot takes precedence over its parts.
 */
export function valueAt(record: unknown, path: string): unknown {
  if (Array.isArray(record)) {
    return record
      .map((item) => valueAt(item, path))
      .filter((value) => value !== undefined)
      .flat();
  }
  if (typeof record !== 'object' || record === null) return undefined;
  if (Object.hasOwn(record, path)) return (record as ShownRow)[path];
  const dot = path.indexOf('.');
  if (dot === -1) return undefined;
  const first = path.slice(0, dot);
  return Object.hasOwn(record, first) ? valueAt((record as ShownRow)[first], path.slice(dot + 1)) : undefined;
}

/** Formats a value as plain text: lists separated by commas, objects as JSON. */
export function formatPlain(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((item) => formatPlain(item)).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
