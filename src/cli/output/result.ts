/** The results of command actions: values without streams or formats. `present.ts` shows them. */

import type { ListQuery } from '../../account/client/request.ts';
import type { HttpRequest } from '../../account/client/transport.ts';
import type { ListReading } from '../../account/session/list.ts';
import type { Effect } from '../../api/contract/operation.ts';
import { redactorAt } from '../../api/contract/redaction.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { redactTarget } from '../../api/contract/secrets-in-request.ts';
import { type Category, Failure } from '../../base/errors.ts';
import type { Hint } from '../../base/hint.ts';
import { parseExactJson } from '../../base/number-text.ts';
import type { Context } from '../context/context.ts';
import type { Column } from '../terminal/table.ts';
import type { ShownRow } from '../terminal/value-at.ts';

export type Result = (
  | NoResult
  | RecordResult
  | RowsResult
  | ItemsResult
  | RunResult
  | DryRunResult
  | DataResult
  | LiveResult
  | ValueResult
  | DocumentResult
  | TextResult
  | TextStreamResult
  | QueryRowsResult
) & {
  /** Notes for people. */
  notes?: readonly Hint[];
  /** The outcome for the record if the command has several, such as an upsert. */
  outcome?: RecordOutcome;
  /** The completed write. It must not be repeated if this result can't be shown. */
  completedWrite?: CompletedWrite;
  /** The failure that the shown plan would end with if it were applied. The command ends with it too. */
  expectedFailure?: Failure | undefined;
};

/** The outcome for programs, in the last line of stderr: `{"done":{"outcome":"created","id":"42"}}`. */
export interface RecordOutcome {
  outcome: 'created' | 'updated' | 'unchanged' | 'restored';
  id: string;
}

export interface CompletedWrite {
  /** What was done to which record: `Supplier "Fresh Farms" (42) created.` */
  message: string;
  /** The command that shows the current state. */
  check?: Hint | undefined;
}

/** An empty result: only its notes are shown. */
export interface NoResult {
  kind: 'nothing';
}

/** Returns a result that consists only of notes. */
export function messageResult(...notes: Hint[]): Result {
  return { kind: 'nothing', notes };
}

/** A record of the service. It includes secrets, which are redacted when the record is shown. */
export interface RecordResult {
  kind: 'record';
  resource: Resource;
  record: ShownRow;
  /** The response body. */
  body: string;
  /** The fields to show on a terminal, if not all: after an update the changed fields. */
  shownFields?: readonly string[] | undefined;
}

/** A list, which is read while it is shown. */
export interface RowsResult {
  kind: 'rows';
  resource: Resource;
  /** The query that was requested. */
  query: ListQuery;
  list: ListReading;
  /** Returns the failure if some rows couldn't be read. Called after the rows are shown. */
  failure?(): Failure | undefined;
}

/** A run over several records, with one item for each. Reading the items executes the run. */
export interface ItemsResult {
  kind: 'items';
  items: AsyncIterable<Item>;
  /** Whether the command line has one ID, so that programs get one object. */
  isSingle?: boolean;
  /** Returns notes about the next steps. Called after the last item. */
  nextSteps?(): Promise<readonly Hint[]>;
}

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

/** A run over the rows of a file. Reading the rows executes the run. */
export interface RunResult {
  kind: 'run';
  /** Whether rows contain their resource. */
  hasResources?: boolean;
  /** Whether the run only reads, so that it may be stopped when the rows are no longer read. */
  isReading?: boolean;
  rows: AsyncIterable<RunRow>;
  /** Whether this is a plan. If so, no row is sent, and the IDs are those of records that would change. */
  isPlan?: boolean;
  /** Returns lines to show to people instead of the failed rows. The rows are then not read. */
  lines?(isTerminal: boolean): Iterable<string>;
  /** Returns how the run ended. Called after the last row, or when the rows are no longer read. */
  end(): Promise<{ failure?: Failure | undefined; notes?: readonly Hint[] }>;
}

/** The requests that a dry run shows instead of sending them. */
export interface DryRunResult {
  kind: 'dry-run';
  requests: readonly PlannedRequest[];
  /** Whether the command line has several records or `-`, so that programs get a list even of one request. */
  isList?: boolean | undefined;
}

/** A request of a dry run. */
export interface PlannedRequest {
  method: string;
  url: string;
  /** The body with secrets redacted; null if the request has no body. */
  body: unknown;
}

/** Data of boh itself, such as settings or a comparison. */
export interface DataResult {
  kind: 'data';
  data: unknown;
  /** The part of `data` to show in formats for records. */
  rows?: readonly unknown[];
  /** The rows for programs instead of `data`. They are streamed, because there may be too many for the memory. */
  streamedRows?: Iterable<ShownRow>;
  /** Whether the result is for people even in a pipe. Programs have to choose a format. */
  isForPeople?: boolean;
  /** The text or drawing for people. Without it one object is shown as a card, several objects as a table. */
  text?: string | ((display: DisplayOptions) => string | Promise<string>);
  /** Returns `data` as Markdown, if it isn't a table of its fields. */
  markdown?(): string;
  /** Returns the data for people, if it differs from `data`. */
  dataForPeople?(display: DisplayOptions): unknown;
  /** The columns of the table; the default is all fields. */
  columns?: readonly Column[];
  /** The name of the field that `-o id` prints; the default is `id`. */
  idField?: string;
  /** The note for people instead of an empty table. */
  emptyNote?: Hint;
}

/** The terminal or file that text is formatted for. */
export interface DisplayOptions {
  /** The time zone of times for people; UTC by default. */
  timeZone?: string;
  /** The width in columns. */
  width: number;
  color: boolean;
  unicode: boolean;
  /** Whether this is a terminal. If so, lines must fit, and right-to-left text must stay in place. */
  isTerminal: boolean;
}

/** Events that are shown as they happen, each on its own line. */
export interface LiveResult {
  kind: 'live';
  events: AsyncIterable<LiveEvent>;
}

/** An event as data for programs and as a line for people. */
export interface LiveEvent {
  data: ShownRow;
  /** The line for people. */
  line: string;
}

/** A result of `--query` or a response of the service. It is shown as JSON unless another format was chosen. */
export interface ValueResult {
  kind: 'value';
  value: unknown;
  /** The request, which determines which fields are secret. */
  request: { method: string; target: string };
  /** The part of the value to show in formats for records. */
  rows?: readonly unknown[] | undefined;
}

/** A document that must be printed completely, such as a JSON Schema or an OpenAPI document. */
export interface DocumentResult {
  kind: 'document';
  document: object;
}

/** Plain text, such as a setting or a path. */
export interface TextResult {
  kind: 'text';
  /** The text with its line breaks. */
  text: string;
  /** The value to show if the command line names a format. Without it the text is always printed, such as a token or a script. */
  value?: unknown;
  /** Whether the text is a secret that the command prints on purpose. */
  isSecret?: boolean;
}

/** The text of a file in chunks, as they are read from the service. */
export interface TextStreamResult {
  kind: 'text-stream';
  chunks: AsyncIterable<string>;
  /** Called after the whole text is written. */
  end(): void;
}

/** The rows of a query with their columns. They are read while they are shown. */
export interface QueryRowsResult {
  kind: 'query-rows';
  columns: readonly string[];
  rows: AsyncIterable<ShownRow>;
  /** Called after the rows are shown, or when they are no longer read. */
  end(): Promise<void>;
}

/** A record of a run. */
export interface Item {
  id: string;
  action: Exclude<Effect, 'list' | 'get'>;
  /** `unknown`: the write may or may not have happened. `not_sent`: it was not tried. */
  outcome: 'done' | 'failed' | 'unknown' | 'not_sent';
  /** The note for people when the write is done: `Supplier "Fresh Farms" (42) deleted.` */
  message: string;
  /** The failure if the write wasn't done, or was done only partly. Absent if the run ended before this item. */
  failure?: Failure;
}

/** Returns the outcome of a failed write: refused by the service, unknown, not sent, or done although it ends the run. */
export function outcomeOf({ details: { outcome, status, stopsRun } }: Failure): Item['outcome'] {
  if (outcome === 'unknown') return 'unknown';
  if (outcome === 'done' && stopsRun) return 'done';
  return outcome === 'not_sent' && status === undefined ? 'not_sent' : 'failed';
}

/** Returns whether a run stops at a failure because no later write can succeed. */
export function endsRun({ category, details }: Failure): boolean {
  if (details.stopsRun) return true;
  return ['not_signed_in', 'not_allowed', 'interrupted', 'rate_limited', 'unavailable'].includes(category);
}

/**
 * Returns the failure of a run, or undefined if all items are done. It has the category of the failure that stopped the
 * run, or that all items have in common. Otherwise its category is `partial`.
 */
export function failureOfRun(items: readonly Item[]): Failure | undefined {
  const failed = items.flatMap(({ id, failure }) => (failure ? [{ id, failure }] : []));
  const [first] = failed;
  if (!first) return undefined;
  const doneCount = items.filter(({ outcome, failure }) => outcome === 'done' && !failure).length;
  const failures = failed.map(({ id, failure: { category, message } }) => ({ id, category, message }));
  const stoppingFailure = failed.find(({ failure }) => endsRun(failure))?.failure;
  if (stoppingFailure) {
    const untriedCount = items.length - failed.length - doneCount;
    const message = `${stoppingFailure.message} Before that, ${countWithVerb(doneCount)} done; ${countWithVerb(untriedCount)} not attempted.`;
    return new Failure(stoppingFailure.category, message, { ...stoppingFailure.details, failures });
  }
  const othersText = doneCount > 0 ? 'the others are done' : 'nothing was done';
  const haveSameCategory = doneCount === 0 && new Set(failures.map(({ category }) => category)).size === 1;
  const category: Category = haveSameCategory ? first.failure.category : 'partial';
  return new Failure(category, `${failed.length} of ${items.length} failed; ${othersText}.`, {
    hint: 'Each failure is shown above.',
    failures,
  });
}

function countWithVerb(count: number): string {
  return `${count} ${count === 1 ? 'was' : 'were'}`;
}

/** Returns the requests that a dry run would send, with secrets redacted. */
export async function dryRunResult(
  context: Context,
  requests: readonly HttpRequest[],
  { isList }: Pick<DryRunResult, 'isList'> = {},
): Promise<Result> {
  const { baseUrl = '', apiPrefix } = await context.settings();
  const redactBody = (method: string, target: string, body: string) =>
    redactorAt(context.api, method, target.slice(apiPrefix.length))(parseExactJson(body));
  return {
    kind: 'dry-run',
    isList,
    requests: requests.map(({ method, target, body }) => ({
      method,
      url: `${baseUrl}${redactTarget(context.api, target)}`,
      body: body === undefined ? null : redactBody(method, target, body),
    })),
    ...(requests.some(containsLookup) && {
      notes: ['With --offline, names after @ (%40) are not looked up.'],
    }),
  };
}

/** Returns whether an ID in the URL or body starts with @. Other strings in the body may start with @ too. */
function containsLookup({ target, body = '' }: HttpRequest): boolean {
  return /[/=,]%40/.test(target) || /"(?:\w+_)?id":"@/.test(body);
}
