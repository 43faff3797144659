/** The result of a command's action: values without streams or formats. `present.ts` shows it. */

import type { Failure } from '../base/errors.ts';
import type { Hint } from '../base/hint.ts';
import type { ListQuery } from '../client/request.ts';
import type { Resource } from '../contract/resource.ts';
import type { ListReading } from '../session/list.ts';
import type { Column } from '../terminal/table.ts';
import type { ShownRow } from '../terminal/value-at.ts';
import type { Item } from './items.ts';

/** A result: one of a closed list of kinds. */
export type Result = (
  | NoResult
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
  | QueryRowsResult
) & {
  /** Notes for people. */
  notes?: readonly Hint[];
  /** The outcome for a record if it wasn't certain before, as of an upsert. */
  outcome?: RecordOutcome;
  /** The write that was carried out and must not be repeated if this result can't be shown. */
  done?: CompletedWrite;
  /** The failure that carrying out a shown plan would end with; the command ends with it too. */
  expectedFailure?: Failure | undefined;
};

/** The outcome for programs, in the last line of stderr: `{"done":{"outcome":"created","id":"42"}}`. */
export interface RecordOutcome {
  outcome: 'created' | 'updated' | 'unchanged' | 'restored';
  id: string;
}

/** A write that was carried out. */
export interface CompletedWrite {
  /** What was done to which record: `Supplier "Fresh Farms" (42) created.` */
  message: string;
  /** The command that shows the present state. */
  check?: Hint | undefined;
}

/** No result to show. */
export interface NoResult {
  kind: 'nothing';
}

/** Returns a result that consists of notes alone. */
export function messageResult(...notes: Hint[]): Result {
  return { kind: 'nothing', notes: notes };
}

/** One record of the service. It includes secrets, which are redacted when it is shown. */
export interface RecordResult {
  kind: 'record';
  resource: Resource;
  record: ShownRow;
  /** The response body. */
  body: string;
  /** The fields that a terminal shows, if not all: after an update the changed ones. */
  shownFields?: readonly string[] | undefined;
}

/** A list, read while it is shown. */
export interface RowsResult {
  kind: 'rows';
  resource: Resource;
  /** The query that was requested. */
  query: ListQuery;
  list: ListReading;
  /** Returns the failure that kept other rows from being read. Called after the rows are shown. */
  failure?(): Failure | undefined;
}

/** A run over several records, one item each. Reading the items carries out the run. */
export interface ItemsResult {
  kind: 'items';
  items: AsyncIterable<Item>;
  /** Returns notes on what to do next. Called after the last item. */
  next?(): Promise<readonly Hint[]>;
}

/** The outcome for one row of a run. */
export interface RunRow {
  /** The resource of the record, if the run writes to several resources. */
  readonly resource?: string;
  /** The line of the file (the header is line 1); null if the rows aren't from a file. */
  readonly line: number | null;
  /** The key or name that identifies the row to people. */
  readonly key: string | null;
  readonly action: string;
  readonly id: string | null;
  readonly outcome: Item['outcome'];
  readonly error: { readonly message: string } | null;
}

/** A run over the rows of a file. Reading the rows carries out the run. */
export interface RunResult {
  kind: 'run';
  /** Whether rows contain their resource. */
  hasResources?: boolean;
  /** Whether the run only reads, so that it may end when the rows are no longer read. */
  isReading?: boolean;
  rows: AsyncIterable<RunRow>;
  /** Whether this is a plan: nothing is done, and ids are those of records that would change. */
  isPlan?: boolean;
  /** Returns lines to show to people instead of the failed rows. The rows are then not read. */
  lines?(isWindow: boolean): Iterable<string>;
  /** Returns how the run ended. Called after the last row, or when the rows are no longer read. */
  end(): Promise<{ failure?: Failure | undefined; notes?: readonly Hint[] }>;
}

/** The requests that a dry run shows instead of sending them. */
export interface PlannedResult {
  kind: 'planned';
  requests: readonly PlannedRequest[];
}

/** A request of a dry run. */
export interface PlannedRequest {
  method: string;
  url: string;
  /** The body with secrets redacted; null if the request has no body. */
  body: unknown;
}

/** Facts that boh has itself, such as settings or a comparison. */
export interface FactsResult {
  kind: 'facts';
  facts: unknown;
  /** The part of the facts that formats for records show. */
  rows?: readonly unknown[];
  /** Rows for programs instead of `facts`, streamed because there may be too many to hold. */
  each?: Iterable<ShownRow>;
  /** Whether a pipe also gets the form for people: a program has to choose a format. */
  isForPeople?: boolean;
  /** The text or drawing for people; without it one object is shown as a card, several as a table. */
  text?: string | ((page: Page) => string | Promise<string>);
  /** Returns the facts as Markdown, if they aren't a table of their fields. */
  markdown?(): string;
  /** Returns the facts for people, if they differ from those for programs. */
  shown?(page: Page): unknown;
  /** The columns of the table; all fields unless given. */
  columns?: readonly Column[];
  /** The field to show as the id, if it isn't called `id`. */
  key?: string;
  /** The note for people instead of an empty table. */
  ifNone?: Hint;
}

/** The page that a text is drawn on. */
export interface Page {
  /** The width in columns. */
  width: number;
  color: boolean;
  unicode: boolean;
  /** Whether this is a terminal: lines have to fit, and right-to-left text has to stay in place. */
  isWindow: boolean;
}

/** Events as they happen, a line for each, until there are no more or the run is stopped. */
export interface LiveResult {
  kind: 'live';
  events: AsyncIterable<LiveEvent>;
}

/** One event. */
export interface LiveEvent {
  facts: ShownRow;
  /** The line for people. */
  line: string;
}

/** A result of `--query`, or an answer of the service: JSON for people too, unless they ask for a table. */
export interface ValueResult {
  kind: 'value';
  value: unknown;
  /** The request, which determines which fields are secret. */
  request: { method: string; target: string };
  /** The part of the value that formats for records show. */
  rows?: readonly unknown[] | undefined;
}

/** A document that is only useful whole: a JSON Schema or an OpenAPI document. */
export interface DocumentResult {
  kind: 'document';
  document: object;
}

/** A bare text, such as a setting or a path. */
export interface TextResult {
  kind: 'text';
  /** The text with its line breaks. */
  text: string;
  /** The value to show if the command line names a format. Without it the text stays bare, as for tokens and scripts. */
  value?: unknown;
  /** Whether the text is a secret that the command prints on purpose. */
  isSecret?: boolean;
}

/** The text of a file, piece by piece as it is read from the service. */
export interface TextsResult {
  kind: 'texts';
  texts: AsyncIterable<string>;
  /** Called after all of it is written. */
  end(): void;
}

/** The rows of a query, with the columns that the query names. They are read as they are shown. */
export interface QueryRowsResult {
  kind: 'answer';
  columns: readonly string[];
  rows: AsyncIterable<ShownRow>;
  /** Called after the rows are shown, or when they are no longer read. */
  end(): Promise<void>;
}
