/** Shows the result of a command in the chosen format. All commands use it. */

import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { redactorAt } from '../../api/contract/redaction.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { usage } from '../../base/errors.ts';
import { timeInZone } from '../../base/local-time-zone.ts';
import { isObject } from '../../base/number-text.ts';
import { knownSecrets, redact, redactValue } from '../../base/redaction.ts';
import type { Context } from '../context/context.ts';
import { cleanLine, escapeText } from '../terminal/clean.ts';
import type { Format } from '../terminal/formats/format.ts';
import { id } from '../terminal/formats/id.ts';
import { formatJson, json } from '../terminal/formats/json.ts';
import { markdown } from '../terminal/formats/markdown.ts';
import { ndjson } from '../terminal/formats/ndjson.ts';
import { note, warn } from '../terminal/messages.ts';
import { startPagerSession } from '../terminal/pager.ts';
import { isOn, OutputClosed, type Paged, type Streams, write, writeAll } from '../terminal/streams.ts';
import { columnsOf } from '../terminal/tabulate.ts';
import type { ShownRow } from '../terminal/value-at.ts';
import { chooseDocumentFormat, chooseFormat, isSilent, wantsJsonErrors } from './choose-format.ts';
import { noteUndo, printNotes, unreportedFailure } from './notes.ts';
import { showRecord, showRows } from './present-records.ts';
import { showItems, showRun } from './present-runs.ts';
import type {
  DataResult,
  DisplayOptions,
  DryRunResult,
  LiveResult,
  PlannedRequest,
  RecordOutcome,
  Result,
  TextStreamResult,
} from './result.ts';
import { showQueryRows, showText, showValue, withFinalNewline } from './show-value.ts';
import { shownTimeZone } from './times.ts';
import { columnListResult, parseView, type View, type ViewFlags } from './view.ts';

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
  const hasLayout = view?.columns !== undefined || view?.select !== undefined || view?.raw;
  if ((result.completedWrite || result.outcome) && isSilent(context) && !hasLayout) return;
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
  const timeZone = await shownTimeZone(context);
  const display = {
    timeZone,
    width: streams.columns('out'),
    color: streams.color.out,
    unicode: streams.unicode,
    isTerminal: streams.isTerminal.out,
  };
  if (text) return print(context, await text(display));
  const displayedData = result.dataForPeople ? result.dataForPeople(display) : data;
  if (emptyNote !== undefined && Array.isArray(displayedData) && displayedData.length === 0)
    return note(streams, emptyNote);
  const localColumns = columns?.map((column) =>
    column.isTime ? { ...column, show: (value: unknown) => timeInZone(String(value), timeZone) } : column,
  );
  await showValue(context, { value: withoutNulls(displayedData) }, format, { columns: localColumns });
  if (timeZone !== 'UTC' && columns?.some(({ isTime }) => isTime)) note(streams, `Times in ${timeZone}.`);
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

async function showDryRun(context: Context, { requests, isList }: DryRunResult): Promise<void> {
  const format = await chooseFormat(context, 'anyone');
  if (format.isForPeople) return print(context, withFinalNewline(requests.map(requestText).join('\n')));
  const [first, ...remaining] = requests;
  const value = first && remaining.length === 0 && !isList ? first : requests;
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

/** Shows a result in the pager if it is longer than the window. Closing the pager early isn't a failure. */
async function showInPager({ streams, env, signal }: Context, show: () => Promise<void>): Promise<void> {
  const paging = startPagerSession(streams, env, signal);
  try {
    await show();
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
  } finally {
    await paging.end();
  }
  signal.throwIfAborted();
}

/** The maximum number of bytes to copy: xterm and others accept up to 100,000 characters of base64. */
const maxCopiedBytes = 74_994;

/** Throws a usage failure if `--copy` can't work here. Call it before any work is done. */
export function requireClipboard({ streams }: Context): void {
  if (streams.isTerminal.out && streams.cursor) return;
  throw usage('--copy needs a terminal: the terminal copies the result to the clipboard.', {
    hint: 'In a pipe, use a program: | wl-copy, | xclip -selection clipboard, | pbcopy, | clip.',
  });
}

/** Calls `onText` with each chunk that `show` writes to stdout, up to the maximum that can be copied. */
async function collectOutput(
  streams: Streams,
  show: () => Promise<void>,
  onText: (text: string) => void,
): Promise<void> {
  const outerPaged = streams.paged;
  const target = outerPaged?.output ?? streams.stdout;
  let length = 0;
  const output = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      if (length <= maxCopiedBytes) onText(String(chunk));
      length += String(chunk).length;
      write(target, String(chunk)).then(() => done(), done);
    },
  }).on('error', () => {});
  const paged: Paged = {
    output,
    get headerLines() {
      return outerPaged?.headerLines ?? 0;
    },
    set headerLines(lines) {
      if (outerPaged) outerPaged.headerLines = lines;
    },
  };
  streams.paged = paged;
  try {
    await show();
  } finally {
    streams.paged = outerPaged;
  }
}

/** Copies text to the clipboard with OSC 52. Terminals don't report whether they accept it. */
async function copyToClipboard({ streams }: Context, text: string): Promise<void> {
  // The copy has no styles and isolates, like the output in a pipe.
  const plainText = stripVTControlCharacters(text)
    .replaceAll(/[\u2068\u2069]/g, '')
    .replaceAll('\u2800', ' ');
  const bytes = Buffer.from(plainText);
  if (bytes.length === 0) return note(streams, 'Nothing to copy.');
  if (bytes.length > maxCopiedBytes) {
    return warn(
      streams,
      'Not copied: the result is too long for a terminal. Choose less with --columns, --limit or -o id.',
    );
  }
  await write(streams.stdout, `\x1b]52;c;${bytes.toString('base64')}\x07`);
  note(streams, 'Copied to the clipboard, if the terminal allows that.');
}

/** Returns the result without known secrets. Records are already redacted, and text results that are secrets are printed on purpose. */
function redactResult(result: Result): Result {
  if (knownSecrets().length === 0) return result;
  switch (result.kind) {
    case 'data': {
      const { data, rows, streamedRows, text, dataForPeople } = result;
      return {
        ...result,
        data: redactValue(data),
        ...(rows && { rows: redactValue(rows) }),
        ...(streamedRows && { streamedRows: mapValues(streamedRows, redactValue) }),
        ...(text !== undefined && { text: redactText(text) }),
        ...(dataForPeople && {
          dataForPeople: (display: DisplayOptions) => redactValue(dataForPeople(display)),
        }),
      };
    }
    case 'dry-run':
      return { ...result, requests: redactValue(result.requests) };
    case 'value':
      return { ...result, value: redactValue(result.value), rows: redactValue(result.rows) };
    case 'run': {
      const { rows, lines } = result;
      const redactedLines = lines && ((isTerminal: boolean) => mapValues(lines(isTerminal), redact));
      return { ...result, rows: mapAsync(rows, redactValue), ...(lines && { lines: redactedLines }) };
    }
    case 'live': {
      const { events } = result;
      return { ...result, events: mapAsync(events, redactValue) };
    }
    case 'query-rows':
      return { ...result, rows: mapAsync(result.rows, redactValue) };
    case 'text-stream':
      return { ...result, chunks: mapAsync(result.chunks, redact) };
    default:
      return result;
  }
}

type Text = string | ((display: DisplayOptions) => string | Promise<string>);

function redactText(text: Text): Text {
  return typeof text === 'string' ? redact(text) : async (display) => redact(await text(display));
}

function* mapValues<Value>(values: Iterable<Value>, transform: (value: Value) => Value): Generator<Value> {
  for (const value of values) yield transform(value);
}

/** Changes values as they are read. Stopping early stops `values` only if its iterator has a `return`. */
function mapAsync<Value>(
  values: AsyncIterable<Value>,
  transform: (value: Value) => Value,
): AsyncIterable<Value> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = values[Symbol.asyncIterator]();
      return {
        async next() {
          const next = await iterator.next();
          return next.done ? next : { done: false, value: transform(next.value) };
        },
        async return() {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
