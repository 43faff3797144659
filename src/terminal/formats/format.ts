/** The output formats for machines: one shape for all of them, and their list. */

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

export const formatNames = ['json', 'ndjson', 'csv', 'yaml', 'id'] as const;

export type FormatName = (typeof formatNames)[number];

/** Loads the format's file, and with it the library it needs, only now. */
export async function loadFormat(name: FormatName, options: FormatOptions = {}): Promise<Format> {
  switch (name) {
    case 'json':
      return (await import('./json.ts')).json(options);
    case 'ndjson':
      return (await import('./ndjson.ts')).ndjson(options);
    case 'csv':
      return (await import('./csv.ts')).csv(options);
    case 'yaml':
      return (await import('./yaml.ts')).yaml();
    case 'id':
      return (await import('./id.ts')).id(options);
  }
}
