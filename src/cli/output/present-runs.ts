/** Shows the progress of runs over several records or over the rows of a file. */
import { type Failure, type FailureRecord, failureRecord } from '../../base/errors.ts';
import type { Context } from '../context/context.ts';
import type { Format, Writer } from '../terminal/formats/format.ts';
import { ndjson } from '../terminal/formats/ndjson.ts';
import { table } from '../terminal/formats/table.ts';
import { note, reportFailure, shortenMessages, wrapLines } from '../terminal/messages.ts';
import { write, writeAll } from '../terminal/streams.ts';
import { chooseFormat, chosenFormat, isSilent } from './choose-format.ts';
import { noteUndo, printNotes, unreportedFailure } from './notes.ts';
import { endsRun, failureOfRun, type Item, type ItemsResult, type RunResult, type RunRow } from './result.ts';

const itemColumns = ['id', 'action', 'outcome', 'error'].map((name) => ({ name }));

/**
 * Shows each record of a run, as a note for people or as an item for programs (docs/reference/scripting.md). Throws one
 * failure if a record failed. The run continues even if its items can no longer be written.
 */
export async function showItems(
  context: Context,
  { items, nextSteps, isSingle }: ItemsResult,
): Promise<void> {
  const { streams } = context;
  const format = await chooseFormat(context, 'anyone');
  const shownItems: Item[] = [];
  async function* reportedItems() {
    for await (const item of items) {
      shownItems.push(item);
      report(context, item);
      yield item;
    }
  }
  let writeError: unknown;
  if (format.isForPeople || isSilent(context)) await Array.fromAsync(reportedItems());
  else {
    const writer = await format.open({ terminal: streams.isTerminal.out, columns: itemColumns });
    const itemsToWrite = format.name === 'id' ? completedItems(reportedItems()) : reportedItems();
    const records = toItemRecords(context, itemsToWrite);
    for await (const text of isSingle ? formatEach(writer, records) : writer.formatList(records)) {
      if (writeError) continue;
      await write(streams.stdout, text).catch((error: unknown) => {
        writeError = error;
      });
    }
  }
  for (const text of (await nextSteps?.()) ?? []) note(streams, text);
  if (context.recordedWrites.count > 0) noteUndo(context);
  const failure = failureOfRun(shownItems);
  if (failure) throw failure;
  if (writeError) throw unreportedFailure({ message: doneMessage(shownItems) }, writeError);
}

async function* formatEach(writer: Writer, records: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const record of records) yield writer.formatValue(record);
}

function doneMessage(items: readonly Item[]): string {
  return `Done: ${items.map(({ id }) => id).join(', ')}.`;
}

async function* toItemRecords(context: Context, items: AsyncIterable<Item>) {
  for await (const { id, action, outcome, failure } of items)
    yield { id, action, outcome, error: failure ? errorRecordOf(failure, context) : null };
}

/** Returns the error, which always says whether the write was applied. */
function errorRecordOf(failure: Failure, context: Context): FailureRecord {
  return {
    ...failureRecord(shortenMessages(failure, context.streams)),
    outcome: failure.details.outcome ?? 'not_sent',
  };
}

/** Yields only completed items, because their IDs are input for the next command. */
async function* completedItems(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  for await (const item of items) if (item.outcome === 'done') yield item;
}

function report(context: Context, item: Item): void {
  if (item.outcome === 'done') note(context.streams, item.message);
  // A failure that ends the run is reported at the end.
  else if (item.failure && !endsRun(item.failure)) reportFailure(item.failure, context.streams);
}

const rowColumns = ['line', 'key', 'action', 'id', 'outcome', 'error'].map((name) => ({ name }));

/**
 * Shows the rows of a run: all rows as lines of JSON for programs, only failed rows for people. The run continues even if
 * its rows can no longer be written.
 */
export async function showRun(
  context: Context,
  { rows, lines, end, isReading, isPlan = false, hasResources }: RunResult,
): Promise<void> {
  const { streams } = context;
  const format = await formatFor(context);
  let writeError: unknown;
  let doneCount = 0;
  if (format.isForPeople && lines) {
    await writeAll(streams, wrapEachLine(lines(streams.isTerminal.out), streams)).catch((error: unknown) => {
      writeError = error;
    });
  } else if (format.isForPeople) {
    for await (const { resource, line, key, outcome, error } of rows) {
      if (outcome === 'done' || (outcome === 'not_sent' && !error)) continue;
      const location = line === null ? [resource, key].filter(Boolean).join(' ') : `line ${line}`;
      note(streams, `${location}: ${outcome}: ${error?.message ?? ''}`);
    }
  } else {
    const writer = await format.open({
      terminal: streams.isTerminal.out,
      columns: hasResources ? [{ name: 'resource' }, ...rowColumns] : rowColumns,
    });
    const iterator = rows[Symbol.asyncIterator]();
    const next = async () => {
      const result = await iterator.next();
      if (!result.done && result.value.outcome === 'done' && result.value.action !== 'skip') doneCount++;
      return result;
    };
    const isFailed = ({ outcome }: RunRow) => outcome === 'failed' || outcome === 'unknown';
    const isShown = format.name === 'id' ? (row: RunRow) => hasId(row, isPlan) : () => true;
    const rowsToWrite = selectRows(next, isSilent(context) && !isPlan && !isReading ? isFailed : isShown);
    await writeAll(streams, writer.formatList(rowsToWrite)).catch((error: unknown) => {
      writeError = error;
    });
    while (writeError && !isReading && !(await next()).done);
  }
  const { failure, notes } = await end();
  printNotes(context, notes);
  if (failure) throw failure;
  if (!writeError) return;
  if (isReading || doneCount === 0) throw writeError;
  throw unreportedFailure(
    { message: `${doneCount} ${doneCount === 1 ? 'row is' : 'rows are'} done.` },
    writeError,
  );
}

function* wrapEachLine(
  lines: Iterable<string>,
  { isTerminal, columns }: Context['streams'],
): Generator<string> {
  for (const line of lines) yield `${isTerminal.out ? wrapLines(line, columns('out')) : line}\n`;
}

/** Returns the chosen format, else NDJSON away from a terminal. */
async function formatFor(context: Context): Promise<Format> {
  const { streams } = context;
  return (await chosenFormat(context, 'anyone')) ?? (streams.isTerminal.out ? table : ndjson);
}

/** Yields the rows to show. It doesn't end the source, so that the run continues when the reader stops. */
async function* selectRows(
  next: () => Promise<IteratorResult<RunRow>>,
  isShown: (row: RunRow) => boolean,
): AsyncGenerator<RunRow> {
  for (let result = await next(); !result.done; result = await next())
    if (isShown(result.value)) yield result.value;
}

/** Returns whether to show the ID of a row: for completed rows, and in a plan for rows that would change. IDs are input for the next command. */
function hasId({ outcome, id }: RunRow, isPlan: boolean): boolean {
  return isPlan ? outcome === 'not_sent' && id !== null : outcome === 'done';
}
