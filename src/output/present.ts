/** Shows the result of a command in the chosen format. All commands use it. */

import { isObject } from '../base/number-text.ts';
import type { Context } from '../context/context.ts';
import { redactorAt } from '../contract/redaction.ts';
import type { Resource } from '../contract/resource.ts';
import { cleanLine, escapeText } from '../terminal/clean.ts';
import type { Format } from '../terminal/formats/format.ts';
import { id } from '../terminal/formats/id.ts';
import { formatJson, json } from '../terminal/formats/json.ts';
import { markdown } from '../terminal/formats/markdown.ts';
import { ndjson } from '../terminal/formats/ndjson.ts';
import { note } from '../terminal/messages.ts';
import { isOn, write, writeAll } from '../terminal/streams.ts';
import { columnsOf } from '../terminal/tabulate.ts';
import type { ShownRow } from '../terminal/value-at.ts';
import { chooseDocumentFormat, chooseFormat, formatFromFlags, wantsJsonErrors } from './choose-format.ts';
import { noteUndo, printNotes, unreportedFailure } from './notes.ts';
import { collectOutput, copyToClipboard, requireClipboard, showInPager } from './paging.ts';
import { showRecord, showRows } from './present-records.ts';
import { showItems, showRun } from './present-runs.ts';
import { redactResult } from './redact-result.ts';
import type {
  DataResult,
  DryRunResult,
  LiveResult,
  PlannedRequest,
  RecordOutcome,
  Result,
  TextStreamResult,
} from './result.ts';
import { showQueryRows, showText, showValue, withFinalNewline } from './show-value.ts';
import { columnListResult, parseView, type View, type ViewFlags } from './view.ts';

/** Returns the action of a command: it calls `run` and shows the result, if any. An unknown format is refused before it starts. */
export function createAction<Args extends unknown[]>(
  context: Context,
  run: (...args: Args) => Result | Promise<Result> | Promise<void>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    await formatFromFlags(context);
    if (context.globals.copy) requireClipboard(context);
    const result = await run(...args);
    if (result) await present(context, result);
  };
}

/** Runs a command that has view flags and shows its result. `--columns ?` lists the columns instead. */
export async function presentInView(
  context: Context,
  resource: Resource,
  flags: ViewFlags,
  run: (view: View) => Promise<Result>,
): Promise<void> {
  if (context.globals.copy) requireClipboard(context);
  if (flags.columns === '?') return present(context, columnListResult(resource));
  const view = await parseView(context, resource, flags);
  await present(context, await run(view), view);
}

/** Shows a result, then its notes and outcome. `view` contains the layout of records. */
export async function present(context: Context, result: Result, view?: View): Promise<void> {
  try {
    await showAndCopy(context, result, () => show(context, result, view));
  } catch (error) {
    throw result.completedWrite ? unreportedFailure(result.completedWrite, error) : error;
  }
  printNotes(context, result.notes);
  noteUndo(context);
  if (result.outcome) await noteOutcome(context, result.outcome);
  if (result.expectedFailure) throw result.expectedFailure;
}

async function showAndCopy(context: Context, result: Result, run: () => Promise<void>): Promise<void> {
  if (!context.globals.copy) return showPaged(context, result, run);
  let text = '';
  const append = (chunk: string) => {
    text += chunk;
  };
  await showPaged(context, result, () => collectOutput(context.streams, run, append));
  await copyToClipboard(context, text);
}

async function showPaged(context: Context, result: Result, run: () => Promise<void>): Promise<void> {
  if (!isPaged(context, result)) return run();
  await showInPager(context, run);
}

/** The kinds of results that may go to the pager. Runs may not, because closing the pager would stop the run. */
const pagedKinds: readonly Result['kind'][] = [
  'record',
  'rows',
  'dry-run',
  'data',
  'value',
  'document',
  'query-rows',
];

/** Returns whether a result goes to the pager. With a deadline it doesn't, because there may be no reader. */
function isPaged({ streams, globals, env }: Context, result: Result): boolean {
  if (!streams.isTerminal.out || !streams.cursor || globals.pager === false) return false;
  // After a write users wait for the confirmation, which a pager would delay.
  if (result.completedWrite) return false;
  const isPlan = result.kind === 'run' && result.isReading === true && result.lines !== undefined;
  return (isPlan || pagedKinds.includes(result.kind)) && globals.deadline === undefined && !isOn(env.CI);
}

/** Writes the outcome of a write for programs. The notes contain it for people. */
async function noteOutcome(context: Context, done: RecordOutcome): Promise<void> {
  if (await wantsJsonErrors(context)) note(context.streams, formatJson({ done }, { terminal: true }));
}

async function show(context: Context, original: Result, view: View | undefined): Promise<void> {
  const result = redactResult(original);
  switch (result.kind) {
    case 'nothing':
      return;
    case 'record':
    case 'rows': {
      if (!view) throw new Error(`a ${result.kind} has no view`);
      return result.kind === 'record' ? showRecord(context, result, view) : showRows(context, result, view);
    }
    case 'items':
    case 'run': {
      return result.kind === 'items' ? showItems(context, result) : showRun(context, result);
    }
    case 'dry-run':
      return showDryRun(context, result);
    case 'data':
      return showData(context, result);
    case 'live':
      return showLive(context, result);
    case 'value': {
      const { value, rows, request } = result;
      const redact = redactorAt(context.api, request.method, request.target);
      const format = await chooseFormat(context, 'program');
      return showValue(context, { value: redact(value), ...(rows && { rows: rows.map(redact) }) }, format);
    }
    case 'document':
      return showValue(context, { value: result.document }, await chooseDocumentFormat(context));
    case 'text':
      return showText(context, result);
    case 'text-stream':
      return showTextStream(context, result);
    case 'query-rows':
      return showQueryRows(context, result);
  }
}

async function showData(context: Context, result: DataResult): Promise<void> {
  const { data, text, columns, emptyNote } = result;
  const { streams } = context;
  const format = await chooseFormat(context, result.isForPeople ? 'person' : 'anyone');
  if (format === markdown && result.markdown) return print(context, result.markdown());
  if (!format.isForPeople && result.streamedRows)
    return showEach(context, result.streamedRows, result, format);
  if (!format.isForPeople)
    return showValue(context, { value: format === id ? keysOf(result) : data, rows: result.rows }, format);
  if (typeof text === 'string') return print(context, withFinalNewline(text));
  const display = {
    width: streams.columns('out'),
    color: streams.color.out,
    unicode: streams.unicode,
    isTerminal: streams.isTerminal.out,
  };
  if (text) return print(context, await text(display));
  const displayedData = result.dataForPeople ? result.dataForPeople(display) : data;
  if (emptyNote !== undefined && Array.isArray(displayedData) && displayedData.length === 0)
    return note(streams, emptyNote);
  await showValue(context, { value: withoutNulls(displayedData) }, format, { columns });
}

async function showEach(
  { streams }: Context,
  rows: Iterable<ShownRow>,
  { columns, idField: key }: DataResult,
  format: Format,
): Promise<void> {
  const writer = await format.open({ terminal: streams.isTerminal.out, columns });
  function* keys() {
    for (const row of rows) yield key === undefined ? row : row[key];
  }
  await writeAll(streams, writer.formatList(format === id ? keys() : rows));
}

function keysOf({ data, idField: key }: DataResult): unknown {
  return key !== undefined && Array.isArray(data) ? data.map((record) => record[key]) : data;
}

/** Removes null values, so that a card has no lines for them. */
function withoutNulls(data: unknown): unknown {
  if (!isObject(data)) return data;
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
}

async function showDryRun(context: Context, { requests }: DryRunResult): Promise<void> {
  const format = await chooseFormat(context, 'anyone');
  if (format.isForPeople) return print(context, withFinalNewline(requests.map(requestText).join('\n')));
  const [first, ...remaining] = requests;
  const value = first && remaining.length === 0 ? first : requests;
  // A request that wasn't sent has no ID.
  await showValue(context, { value }, format === id ? json : format);
}

function requestText({ method, url, body }: PlannedRequest): string {
  return `${method} ${url}${body === null ? '' : `\n${JSON.stringify(body, null, 2)}`}\n`;
}

/** Shows events as they happen, each on its own line. JSON becomes NDJSON, because the list may have no end. */
async function showLive(context: Context, { events }: LiveResult): Promise<void> {
  const chosenFormat = await chooseFormat(context, 'anyone');
  if (chosenFormat.isForPeople) {
    for await (const { line } of events) await print(context, `${cleanLine(line)}\n`);
    return;
  }
  const format = chosenFormat === json ? ndjson : chosenFormat;
  const iterator = events[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done) return;
  const columns = format.needsColumns ? columnsOf([first.value.data]).map((name) => ({ name })) : undefined;
  const writer = await format.open({ terminal: context.streams.isTerminal.out, columns });
  async function* allRows() {
    yield first.value.data;
    for await (const { data } of { [Symbol.asyncIterator]: () => iterator }) yield data;
  }
  await writeAll(context.streams, writer.formatList(allRows()));
}

/** Writes chunks of text as they arrive. On a terminal control characters are escaped. */
async function showTextStream({ streams }: Context, { chunks, end }: TextStreamResult): Promise<void> {
  async function* escapedChunks() {
    for await (const text of chunks) yield streams.isTerminal.out ? escapeText(text) : text;
  }
  await writeAll(streams, escapedChunks());
  end();
}

function print({ streams }: Context, text: string): Promise<void> {
  return write(streams.stdout, text);
}
