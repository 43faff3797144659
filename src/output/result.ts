/** What a command's action gives back: values, free of streams and formats. Who shows it, and how, is for others. */

import type { Failure } from '../base/errors.ts';
import type { Hint } from '../base/hint.ts';
import type { ListQuery } from '../client/request.ts';
import type { Resource } from '../contract/resource.ts';
import type { Reading } from '../session/list.ts';
import type { Column } from '../terminal/table.ts';
import type { ShownRow } from '../terminal/value-at.ts';
import type { Item } from './items.ts';

/** The closed list of kinds. */
export type Result = (
  | Nothing
  | RecordResult
  | RowsResult
  | ItemsResult
  | RunResult
  | PlannedResult
  | FactsResult
  | LiveResult
  | ValueResult
  | DocumentResult
  | TextResult
  | TextsResult
  | AnswerResult
) & {
  /** What a person may want to know besides. */
  remarks?: readonly Hint[];
  /** What became of a record of which that was open before. */
  outcome?: RecordOutcome;
  /** Of a write that was carried out, and must not be repeated where this result can’t be shown. */
  done?: Done;
  /** Of a plan that is shown: what carrying it out would end with, and so does the command. */
  foreseen?: Failure | undefined;
};

/** As programs read it, in the last line of stderr: `{"done":{"outcome":"created","id":"42"}}`. */
export interface RecordOutcome {
  outcome: 'created' | 'updated' | 'unchanged' | 'restored';
  id: string;
}

export interface Done {
  /** What was done, to which record by its id: `Supplier “Fresh Farms” (42) created.` */
  message: string;
  /** The command that shows what there is now. */
  check?: Hint | undefined;
}

/** All is done, and there is nothing to show. */
export interface Nothing {
  kind: 'nothing';
}

/** Returns the result of a command that only says something. */
export function told(...remarks: Hint[]): Result {
  return { kind: 'nothing', remarks };
}

/** One record of the service, secrets included: whoever shows it masks them. */
export interface RecordResult {
  kind: 'record';
  resource: Resource;
  record: ShownRow;
  /** The body that it came in. */
  body: string;
  /** What people see of it at a terminal, where that is not all: after an update what was changed. */
  part?: readonly string[] | undefined;
}

/** A list, read while it is shown. */
export interface RowsResult {
  kind: 'rows';
  resource: Resource;
  /** What was asked for. */
  query: ListQuery;
  list: Reading;
  /** Asked for once the rows are shown: what kept others from being among them. */
  failure?(): Failure | undefined;
}

/** The outcome of a run over several records, one item each. Reading the items is what carries the run out. */
export interface ItemsResult {
  kind: 'items';
  items: AsyncIterable<Item>;
  /** Asked for once there are no more items: what the person may want to do next. */
  next?(): Promise<readonly Hint[]>;
}

export interface RunRow {
  /** What it is a record of, where a run writes to several kinds. */
  readonly resource?: string;
  /** Of the file, the header being line 1; null where the rows came from elsewhere. */
  readonly line: number | null;
  /** What people know the row by. */
  readonly key: string | null;
  readonly action: string;
  readonly id: string | null;
  readonly outcome: Item['outcome'];
  readonly error: { readonly message: string } | null;
}

/** A run over the rows of a file, a row each. Reading the rows is what carries the run out. */
export interface RunResult {
  kind: 'run';
  /** Its rows say what they are records of. */
  hasResources?: boolean;
  /** Nothing is written meanwhile: where nobody reads on, it is over. */
  isReading?: boolean;
  rows: AsyncIterable<RunRow>;
  /** Nothing of it is done: ids are those of what would be. */
  isPlan?: boolean;
  /** What people see in the place of the rows that failed, a line each. The rows are not read then. */
  lines?(isWindow: boolean): Iterable<string>;
  /** Asked for once there are no more rows, or nobody reads on: how the run ended. */
  end(): Promise<{ failure?: Failure | undefined; remarks?: readonly Hint[] }>;
}

/** What `--dry-run` shows in place of sending it. */
export interface PlannedResult {
  kind: 'planned';
  requests: readonly Planned[];
}

export interface Planned {
  method: string;
  url: string;
  /** Secrets masked; null where the request has no body. */
  body: unknown;
}

/** What boh itself knows. */
export interface FactsResult {
  kind: 'facts';
  facts: unknown;
  /** What of them formats show that are for records. */
  rows?: readonly unknown[];
  /** For programs, in the place of `facts`: things that may be too many to be held, read while they are written. */
  each?: Iterable<ShownRow>;
  /** Read by people through a pipe too: a program has to ask for a format. */
  isForPeople?: boolean;
  /** For people, in words or drawn on a page; else one thing is a card, and several are a table. */
  text?: string | ((page: Page) => string | Promise<string>);
  /** What people see of them, where that is less or more than a program does. */
  shown?(page: Page): unknown;
  /** Of that table; all fields unless given. */
  columns?: readonly Column[];
  /** The field that stands for the id of each, where they have another name for it. */
  key?: string;
  /** What people are told in place of an empty table. */
  ifNone?: Hint;
}

/** What a text is drawn on. */
export interface Page {
  /** In columns. */
  width: number;
  colour: boolean;
  unicode: boolean;
  /** A terminal: lines have to fit, and text from right to left has to keep its place. */
  isWindow: boolean;
}

/** Things as they happen, a line for each, until there are no more or the run is stopped. */
export interface LiveResult {
  kind: 'live';
  moments: AsyncIterable<Moment>;
}

export interface Moment {
  facts: ShownRow;
  /** For people. */
  line: string;
}

/** Whatever `--query` or the service answered: JSON for people too, unless they ask for a table. */
export interface ValueResult {
  kind: 'value';
  value: unknown;
  /** What was asked, which says what of it is secret. */
  request: { method: string; target: string };
  /** What of it formats show that are for records. */
  rows?: readonly unknown[] | undefined;
}

/** A JSON Schema, an OpenAPI document: of use only whole. */
export interface DocumentResult {
  kind: 'document';
  document: object;
}

/** A text that is wanted bare, such as a setting or a path. */
export interface TextResult {
  kind: 'text';
  /** With its line breaks. */
  text: string;
  /** What stands for it where the line itself names a format. Without one, as for tokens and scripts, it stays bare. */
  value?: unknown;
  /** It is a secret, which the command is there to print. */
  isSecret?: boolean;
}

/** The text of a file, piece by piece as it is read from the service. */
export interface TextsResult {
  kind: 'texts';
  texts: AsyncIterable<string>;
  /** Called once all of it is written. */
  end(): void;
}

/** What a query answered: rows of columns that it has named itself, read as they are shown. */
export interface AnswerResult {
  kind: 'answer';
  columns: readonly string[];
  rows: AsyncIterable<ShownRow>;
  /** Called once they are shown, or nobody reads on. */
  end(): Promise<void>;
}
