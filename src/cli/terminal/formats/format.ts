/** The interface of all output formats. Each format is one file. */
import type { Column } from '../table.ts';

/** Describes an output format and opens it. */
export interface Format {
  /** The value of `-o`. */
  readonly name: string;
  /** Whether the format is for people, not for programs. */
  readonly isForPeople: boolean;
  /** Whether a list is written as its values arrive. Otherwise all are read first. */
  readonly isStreaming: boolean;
  /** Whether the format can write any JSON value. Otherwise it writes fields or IDs of records. */
  readonly isExact: boolean;
  /** Whether the names of the columns are needed before the first value. */
  readonly needsColumns: boolean;
  /** The layout flags that the format supports; others are refused. */
  readonly layoutFlags: readonly LayoutFlag[];
  /** Starts the output. Loads the library of the format, if it has one. */
  open(options?: FormatOptions): Promise<Writer>;
}

export type LayoutFlag = 'columns' | 'wide' | 'localTime' | 'bom';

/** Formats values of the service or of `--query`: usually objects, but any JSON value is possible. */
export interface Writer {
  /** Returns the text of a single value with its line break. */
  formatValue(value: unknown): string;
  /**
   * Returns the text of a list in chunks. If the source fails, the text ends there, so that half a list isn't taken for
   * a whole one (a JSON array stays open).
   */
  formatList(values: Values): AsyncIterable<string>;
  /** Starts a list that the caller formats value by value. Absent if the format needs all values first. */
  startList?(): ListWriter;
}

export type Values = AsyncIterable<unknown> | Iterable<unknown>;

export interface ListWriter {
  add(value: unknown): string;
  /** Returns the text of several values, if the format writes them faster together. */
  addAll?(values: readonly unknown[]): string;
  /** Returns the text after the last value. Not called if the source fails. */
  end(): string;
}

/** Yields the text of a list whose values are formatted as they arrive. */
export async function* formatItems(list: ListWriter, values: Values): AsyncGenerator<string> {
  for await (const value of values) yield list.add(value);
  const end = list.end();
  if (end !== '') yield end;
}

/** Options for `Format.open`. */
export interface FormatOptions {
  /** Whether the text is for a terminal, so that control characters are escaped. */
  terminal?: boolean;
  /** The columns in order, with dots in nested names. Without them all values are read before the first is written. */
  columns?: readonly Column[] | undefined;
  /** CSV: whether to start with a byte order mark, by which spreadsheets detect UTF-8. */
  bom?: boolean;
  /** Tables: the width of the window in columns; without it nothing is cut. */
  width?: number | undefined;
  /** Tables: whether the command has the flags `--wide` and `--columns`. */
  hasColumnFlags?: boolean;
  color?: boolean;
  unicode?: boolean;
  /** Tables: receives a note on the columns that don't fit. */
  onNote?(text: string): void;
  /** Tables: receives the number of header lines before the table is written. */
  onHeader?(lines: number): void;
}
