/** The one shape of all output formats. Each is a file that says what it is called, what it is for, and how it writes. */
import type { Column } from '../table.ts';

export interface Format {
  /** As `-o` takes it. */
  readonly name: string;
  /** Drawn for a person to read, not for a program. */
  readonly isForPeople: boolean;
  /** A list is written as its values come; else all of them are read before the first is written. */
  readonly isStreaming: boolean;
  /** Holds any JSON value as it is; else it shows fields or ids of records. */
  readonly isExact: boolean;
  /** Shows fields in columns: their names have to be known before the first value. */
  readonly needsColumns: boolean;
  /** What of the layout can be chosen; a choice that this format can’t follow is refused. */
  readonly choices: readonly LayoutChoice[];
  /** Loads the library that it needs, where it needs one. */
  open(options?: FormatOptions): Promise<Writer>;
}

/** Flags that say how a result is laid out. */
export type LayoutChoice = 'columns' | 'wide' | 'localTime' | 'bom';

/** Values are what the service or `--query` gave: usually objects, but any JSON value is written. */
export interface Writer {
  /** One value by itself, as `get` prints it, final line break included. */
  one(value: unknown): string;
  /**
   * A list, written piece by piece as its values come. Where the source fails, the text ends there, so that
   * half a list is not taken for a whole one (a JSON array stays open).
   */
  many(values: Values): AsyncIterable<string>;
  /** The same for whoever has many values at once; none where a format needs all of them before the first is written. */
  list?(): ListText;
}

export type Values = AsyncIterable<unknown> | Iterable<unknown>;

/** A list as text, value after value. */
export interface ListText {
  add(value: unknown): string;
  /** Many at once, for a format that is quicker at it than one by one, and can write any value. */
  addAll?(values: readonly unknown[]): string;
  /** What stands behind the last value. Not asked for where the source fails. */
  end(): string;
}

/** `many` of a format that writes a value as soon as it has it. */
export async function* textsOf(list: ListText, values: Values): AsyncGenerator<string> {
  for await (const value of values) yield list.add(value);
  const end = list.end();
  if (end !== '') yield end;
}

export interface FormatOptions {
  /** Whether the text goes to a terminal: then nothing in it may act on the terminal. */
  terminal?: boolean;
  /** Fields in order, dotted where nested. Without them all values are read before the first is written. */
  columns?: readonly Column[] | undefined;
  /** CSV: begin with a byte order mark, which spreadsheets need to see that the text is UTF-8. */
  bom?: boolean;
  /** Tables: columns of the window; without it nothing is cut. */
  width?: number | undefined;
  /** Tables: whether `--wide` and `--columns` are among the command's flags. */
  canChoose?: boolean;
  colour?: boolean;
  unicode?: boolean;
  /** Tables: told which columns the window has no room for. */
  remark?(text: string): void;
  /** Tables: told how many lines of what comes next are the header. */
  header?(lines: number): void;
}
