/** Shows records of the service in the layout of a view. */

import { parseJson } from '../../account/client/shape.ts';
import { findReadableRecords } from '../../account/session/find-records.ts';
import type { Session } from '../../account/session/session.ts';
import { apiOf } from '../../api/contract/api.ts';
import { operation } from '../../api/contract/operation.ts';
import { redactorOf } from '../../api/contract/redaction.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { Failure } from '../../base/errors.ts';
import { isObject } from '../../base/number-text.ts';
import type { Context } from '../context/context.ts';
import { escapeText } from '../terminal/clean.ts';
import { compact } from '../terminal/formats/compact.ts';
import type { ListWriter, Writer } from '../terminal/formats/format.ts';
import { note } from '../terminal/messages.ts';
import { startProgress } from '../terminal/progress.ts';
import { type Streams, setHeaderLines, write, writeAll } from '../terminal/streams.ts';
import { type ShownRow, valueAt } from '../terminal/value-at.ts';
import { csvColumns, unknownColumns } from './columns.ts';
import { createHeapLimiter } from './heap-limiter.ts';
import type { RecordResult, Result, RowsResult } from './result.ts';
import { showValue } from './show-value.ts';
import { type View, withShownRelations } from './view.ts';
import { formatFooter } from './wording.ts';

/** Loads the code for tables and cards, which isn't needed for programs. */
const loadPeopleFormat = () => import('./records-for-people.ts');

/** Shows one record: a card for people, the record for programs. */
export async function showRecord(
  context: Context,
  result: RecordResult & Pick<Result, 'completedWrite'>,
  view: View,
): Promise<void> {
  const { streams } = context;
  if (view.raw) return printBody(streams, redactBody(view.resource, result.body));
  refuseMissingColumns(view, new Set(Object.keys(result.record)));
  const record = toPresentableRecord(view, result.record);
  if (view.select) return showQueryResult(context, view, record);
  if (view.format.isForPeople) {
    const { renderRecordCard, reportedZone } = await loadPeopleFormat();
    const columns = view.columns ?? (streams.isTerminal.out && !view.wide ? result.shownFields : undefined);
    const displayedRecord = streams.isTerminal.out ? await withNames(context, view, result, record) : record;
    await write(streams.stdout, renderRecordCard({ ...view, columns }, displayedRecord, streams));
    noteZone(streams, reportedZone({ ...view, columns }, Object.keys(record)));
    return;
  }
  const writer = await writerFor(streams, view);
  await writeAll(streams, [writer.formatValue(record)]);
  noteOmittedFields(streams, view, Object.keys(record));
}

/** Adds names of related records for people: the response of a write may contain only IDs. */
async function withNames(
  context: Context,
  view: View,
  { completedWrite }: Pick<Result, 'completedWrite'>,
  record: ShownRow,
): Promise<ShownRow> {
  const session = await context.session();
  const { optionalInclude } = withShownRelations({ ...view, columns: undefined }, 'record');
  const reread = completedWrite
    ? await rereadRecord(session, view.resource, record, optionalInclude)
    : undefined;
  return withLineNames(session, view.resource, reread ? toPresentableRecord(view, reread) : record);
}

/** Shows records as they arrive. For a table or a query, all records are read first. */
export async function showRows(context: Context, result: RowsResult, view: View): Promise<void> {
  await showList(context, result, view);
  const failure = result.failure?.();
  if (failure) throw failure;
}

async function showList(context: Context, { resource, query, list }: RowsResult, view: View): Promise<void> {
  const { streams } = context;
  if (view.raw) {
    for await (const page of list.pages()) await printBody(streams, redactBody(resource, page.body));
    return;
  }
  // The progress line is removed before a table is drawn. Rows that are shown as they arrive don't need one.
  const isScrolling = streams.isTerminal.out && view.format.isStreaming && !view.select;
  const names = new Set<string>();
  const batches = toPresentableRows(
    context,
    view,
    isScrolling ? list.batches() : withProgress(streams, resource, list),
    names,
  );
  if (view.select) {
    await showQueryResult(context, view, (await Array.fromAsync(batches)).flat());
  } else if (view.format.isForPeople) {
    const { renderRecordTable, reportedZone } = await loadPeopleFormat();
    const filterNames = Object.keys(query.filters ?? {});
    const filtered = resource.filters.flatMap(({ name, on }) =>
      on && filterNames.includes(name) ? [on] : [],
    );
    const rows = (await Array.fromAsync(batches)).flat();
    refuseMissingColumns(view, names);
    const table = renderRecordTable({ ...view, filtered }, rows, streams);
    setHeaderLines(streams, table.headerLines);
    await write(streams.stdout, table.text);
    if (table.note) note(streams, table.note);
    noteZone(streams, reportedZone(view, resource.columns));
  } else {
    const writer = await writerFor(streams, view);
    await writeAll(
      streams,
      writer.startList ? chunksOfBatches(writer.startList(), batches) : writer.formatList(rowsOf(batches)),
    );
    noteOmittedFields(streams, view, names);
    refuseMissingColumns(view, names);
  }
  const summary = list.summary();
  const isPartial = summary.isLimited || (query.page !== undefined && summary.leftOut > 0);
  if (streams.isTerminal.out || isPartial) note(streams, formatFooter(resource, summary, query.page));
}

function noteZone(streams: Streams, zone: string | undefined): void {
  if (zone !== undefined) note(streams, `Times in ${zone}.`);
}

/** Shows the result of `--query`. */
function showQueryResult(
  context: Context,
  { select, format, bom, wide }: View,
  result: unknown,
): Promise<void> {
  return showValue(context, { value: select?.(result) }, format, {
    bom,
    hasColumnFlags: true,
    ...(wide && { width: undefined }),
  });
}

/** Rows in batches of one page, which is much faster than single rows. */
type Batches = AsyncIterable<readonly ShownRow[]>;

/** Prepares rows for the format and collects the names of their fields. */
async function* toPresentableRows(
  context: Context,
  view: View,
  batches: Batches,
  names: Set<string>,
): AsyncGenerator<readonly ShownRow[]> {
  const limitHeap = createHeapLimiter(context);
  for await (const rows of batches) {
    limitHeap(rows.length);
    if (view.format.needsColumns || view.otherColumns.length > 0)
      for (const row of rows) for (const name in row) names.add(name);
    yield rows.map((row) => toPresentableRecord(view, row));
  }
}

async function* rowsOf(batches: Batches): AsyncGenerator<ShownRow> {
  for await (const rows of batches) yield* rows;
}

async function* chunksOfBatches(list: ListWriter, batches: Batches): AsyncGenerator<string> {
  for await (const rows of batches) {
    if (list.addAll) {
      yield list.addAll(rows);
      continue;
    }
    let text = '';
    try {
      for (const row of rows) text += list.add(row);
    } finally {
      // If a row can't be written, the rows before it are still written.
      yield text;
    }
  }
  yield list.end();
}

/** Returns a record without secrets, and with only the requested columns if the format has no columns itself. */
export function toPresentableRecord(
  { resource, format, columns, select }: View,
  response: ShownRow,
): ShownRow {
  const record = redactorOf(resource)(response) as ShownRow;
  const hasFields = format.isExact || format === compact;
  if (columns === undefined || select || !hasFields) return record;
  return Object.fromEntries(columns.map((name) => [name, valueAt(record, name) ?? null]));
}

/** Returns the columns of a table without related records, whose IDs say little. */
function compactColumns({ columns, fields }: View['resource']): string[] {
  return columns.filter((name) => fields[name]?.traits.target === undefined);
}

/** Opens the format. CSV gets its columns from the contract, so that it can be streamed. */
async function writerFor({ isTerminal }: Streams, view: View): Promise<Writer> {
  const { format, bom } = view;
  const defaultColumns =
    format === compact ? compactColumns(view.resource) : csvColumns(view.resource, view.include);
  const names = format.needsColumns ? (view.columns ?? defaultColumns) : undefined;
  return format.open({ terminal: isTerminal.out, bom, columns: names?.map((name) => ({ name })) });
}

/** Throws a usage failure for chosen columns that neither the API document nor any record has. */
function refuseMissingColumns({ resource, otherColumns }: View, names: ReadonlySet<string>): void {
  const missing = otherColumns.filter((column) => !names.has(column.split('.')[0] ?? ''));
  if (missing.length > 0) throw unknownColumns(resource, missing);
}

/** Prints a body unchanged. On a terminal control characters are escaped. */
async function printBody({ stdout, isTerminal }: Streams, body: string): Promise<void> {
  const text = body.endsWith('\n') ? body : `${body}\n`;
  if (!isTerminal.out) return write(stdout, text);
  await write(stdout, escapeText(text));
}

/** Notes the fields of the response that CSV omits, because they aren't in the contract. */
function noteOmittedFields(
  streams: Streams,
  { resource, format, columns }: View,
  names: Iterable<string>,
): void {
  if (!format.needsColumns || columns) return;
  const unknownNames = [...names].filter((name) => !Object.hasOwn(resource.fields, name));
  if (unknownNames.length === 0) return;
  note(streams, `The service also returned ${unknownNames.join(', ')}. To show them, use --columns.`);
}

async function* withProgress(
  streams: Streams,
  resource: Resource,
  list: RowsResult['list'],
): AsyncGenerator<readonly ShownRow[]> {
  const progress = startProgress(streams, { label: `Reading ${resource.nouns}`, showAfterMs: 400 });
  let count = 0;
  try {
    for await (const rows of list.batches()) {
      yield rows;
      count += rows.length;
      progress.update(count, list.summary().total);
    }
  } finally {
    progress.done();
  }
}

/** Returns a response body with its secrets redacted. A body without secrets is returned unchanged. */
function redactBody(resource: Resource, body: string): string {
  let parsed: ReturnType<typeof parseJson>;
  try {
    parsed = parseJson(body);
  } catch {
    // The body isn't JSON, so it has no fields to redact.
    return body;
  }
  const redactedValue = redactorOf(resource)(parsed?.value);
  if (redactedValue === parsed?.value) return body;
  const text = JSON.stringify(redactedValue);
  return text === JSON.stringify(parsed?.value) ? body : text;
}

/** The maximum number of lines whose names are read. Further lines only have an ID. */
const maxNamedLines = 500;

/** Returns the record with the titles and units of its lines, as far as the token may read them. A failed read is ignored. */
export async function withLineNames(
  session: Session,
  resource: Resource,
  record: ShownRow,
): Promise<ShownRow> {
  const api = apiOf(resource);
  const namedFields: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    const lines = record[name];
    const { amountField, target = '', unitFrom } = field.traits;
    const lineResource = amountField === undefined ? undefined : api.resource(target);
    if (!lineResource || !Array.isArray(lines)) continue;
    const { title = 'name' } = lineResource;
    const unnamedLines = lines.filter(
      (line) => isObject(line) && line[title] === undefined && line.id != null,
    );
    if (unnamedLines.length === 0) continue;
    const ids = unnamedLines.slice(0, maxNamedLines).map((line) => String(line.id));
    const readable = await findReadableRecords(session, lineResource, ids);
    const addedFields = [title, ...(unitFrom ? [unitFrom] : [])];
    namedFields[name] = lines.map((line) => ({
      ...pick(readable.get(String(line?.id)), addedFields),
      ...line,
    }));
  }
  return { ...record, ...namedFields };
}

/**
 * Reads a record again if the response to a write contains only the IDs of related records. Returns undefined if it
 * contains more, or if the record can't be read.
 */
async function rereadRecord(
  session: Session,
  resource: Resource,
  record: ShownRow,
  relations: readonly string[],
): Promise<ShownRow | undefined> {
  const get = operation(resource, 'get');
  const hasOnlyIdRelations = relations.some(
    (name) => hasOnlyIds(record[name]) || record[`${name}_id`] != null,
  );
  if (!get || !hasOnlyIdRelations || record.id == null) return undefined;
  try {
    const call = { operation: get, ids: [String(record.id)], query: { optional: relations } };
    return (await session.get(call)).record;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

function hasOnlyIds(value: unknown): boolean {
  return [value]
    .flat()
    .some((item) => isObject(item) && Object.keys(item).every((key) => key === 'id' || key === 'pivot'));
}

function pick(record: ShownRow | undefined, names: readonly string[]): ShownRow {
  if (!record) return {};
  return Object.fromEntries(names.filter((name) => record[name] != null).map((name) => [name, record[name]]));
}
