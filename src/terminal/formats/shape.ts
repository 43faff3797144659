/** The one shape of all output formats for machines. */

/** Values are what the service or `--query` gave: usually objects, but any JSON value is written. */
export interface Format {
  /** One value by itself, as `get` prints it, final line break included. */
  one(value: unknown): string;
  /**
   * A list, written piece by piece as its values come. Where the source fails, the text ends there, so that
   * half a list is not taken for a whole one (a JSON array stays open).
   */
  many(values: Values): AsyncIterable<string>;
}

export type Values = AsyncIterable<unknown> | Iterable<unknown>;

export interface FormatOptions {
  /** Whether the text goes to a terminal: then nothing in it may act on the terminal. */
  terminal?: boolean;
  /** CSV: fields in order, dotted where nested. Without them all values are read before the first is written. */
  columns?: readonly string[];
  /** CSV: begin with a byte order mark, which spreadsheets need to see that the text is UTF-8. */
  bom?: boolean;
}
