/** The one presenter: shows whatever a command gave back, in the format that was asked for. */

import type { Resource } from '../../contract/resource.ts';
import { isObject } from '../../number-text.ts';
import type { Format } from '../../terminal/formats/format.ts';
import { id } from '../../terminal/formats/id.ts';
import { json } from '../../terminal/formats/json.ts';
import { ndjson } from '../../terminal/formats/ndjson.ts';
import { note } from '../../terminal/messages.ts';
import { isOn, write, writeAll } from '../../terminal/streams.ts';
import type { ShownRow } from '../../terminal/value-at.ts';
import type { Context } from '../context.ts';
import { chosenFormat, documentFormat, formatOnLine } from './chosen-format.ts';
import type {
  FactsResult,
  LiveResult,
  Planned,
  PlannedResult,
  RecordOutcome,
  Result,
  TextsResult,
} from './result.ts';
import { showText } from './show-text.ts';
import { ownText, showValue } from './show-value.ts';
import { tellRemarks } from './tell-remarks.ts';
import { unreported } from './unreported.ts';
import type { View } from './view.ts';
import type { ViewFlags } from './view-flags.ts';

/** An action that shows what it gives back. A format that doesn’t exist is refused before it begins. */
export function presented<Args extends unknown[]>(
  context: Context,
  run: (...args: Args) => Result | Promise<Result>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    await formatOnLine(context);
    if (context.globals.copy) (await import('./copying.ts')).refuseCopy(context);
    await present(context, await run(...args));
  };
}

/** The same for commands with the flags of a view. `--columns ?` lists the columns in its place. */
export async function presentedInView(
  context: Context,
  resource: Resource,
  flags: ViewFlags,
  run: (view: View) => Promise<Result>,
): Promise<void> {
  if (context.globals.copy) (await import('./copying.ts')).refuseCopy(context);
  const { columnList, readView } = await import('./view.ts');
  if (flags.columns === '?') return present(context, await columnList(resource));
  const view = await readView(context, resource, flags);
  await present(context, await run(view), view);
}

/** `view` is how records are laid out. */
export async function present(context: Context, result: Result, view?: View): Promise<void> {
  try {
    await showCopied(context, result, () => show(context, result, view));
  } catch (error) {
    throw result.done ? unreported(result.done, error) : error;
  }
  await tellRemarks(context, result.remarks);
  if (context.kept.count > 0) (await import('./tell-undo.ts')).tellUndo(context);
  if (result.outcome) await tellOutcome(context, result.outcome);
  if (result.foreseen) throw result.foreseen;
}

async function showCopied(context: Context, result: Result, run: () => Promise<void>): Promise<void> {
  if (!context.globals.copy) return showPaged(context, result, run);
  const { collecting, copyOut } = await import('./copying.ts');
  let text = '';
  const keep = (more: string) => {
    text += more;
  };
  await showPaged(context, result, () => collecting(context.streams, run, keep));
  await copyOut(context, text);
}

async function showPaged(context: Context, result: Result, run: () => Promise<void>): Promise<void> {
  if (!isPaged(context, result)) return run();
  const { inPager } = await import('./in-pager.ts');
  await inPager(context, run);
}

/** What only shows something, and has an end: whoever leaves the pager of a run would stop the run. */
const paged: readonly Result['kind'][] = [
  'record',
  'rows',
  'planned',
  'facts',
  'value',
  'document',
  'answer',
];

/** Under a deadline nobody sits and reads. */
function isPaged({ streams, globals, env }: Context, result: Result): boolean {
  if (!streams.isTerminal.out || !streams.cursor || globals.pager === false) return false;
  const isPlan = result.kind === 'run' && result.isReading === true && result.lines !== undefined;
  return (isPlan || paged.includes(result.kind)) && globals.deadline === undefined && !isOn(env.CI);
}

/** People have read it among the remarks. */
async function tellOutcome(context: Context, done: RecordOutcome): Promise<void> {
  const [{ wantsMachine }, { jsonText }] = await Promise.all([
    import('./wants-machine.ts'),
    import('../../terminal/formats/json.ts'),
  ]);
  if (await wantsMachine(context)) note(context.streams, jsonText({ done }, { terminal: true }));
}

async function show(context: Context, result: Result, view: View | undefined): Promise<void> {
  switch (result.kind) {
    case 'nothing':
      return;
    case 'record':
    case 'rows': {
      if (!view) throw new Error(`a ${result.kind} has no view`);
      const { showRecord, showRows } = await import('./present-records.ts');
      return result.kind === 'record' ? showRecord(context, result, view) : showRows(context, result, view);
    }
    case 'items': {
      const { showItems } = await import('./present-items.ts');
      return showItems(context, result);
    }
    case 'run': {
      const { showRun } = await import('./present-run.ts');
      return showRun(context, result);
    }
    case 'planned':
      return showPlanned(context, result);
    case 'facts':
      return showFacts(context, result);
    case 'live':
      return showLive(context, result);
    case 'value': {
      const { maskAt } = await import('../../contract/secret-mask.ts');
      const { value, rows, request } = result;
      const masked = maskAt(context.api, request.method, request.target);
      const format = await chosenFormat(context, 'program');
      return showValue(context, { value: masked(value), ...(rows && { rows: rows.map(masked) }) }, format);
    }
    case 'document':
      return showValue(context, { value: result.document }, await documentFormat(context));
    case 'text':
      return showText(context, result);
    case 'texts':
      return showTexts(context, result);
    case 'answer': {
      const { showAnswer } = await import('./show-answer.ts');
      return showAnswer(context, result);
    }
  }
}

async function showFacts(context: Context, result: FactsResult): Promise<void> {
  const { facts, text, columns, ifNone } = result;
  const { streams } = context;
  const format = await chosenFormat(context, result.isForPeople ? 'person' : 'anyone');
  if (!format.isForPeople && result.each) return showEach(context, result.each, result, format);
  if (!format.isForPeople)
    return showValue(context, { value: format === id ? keysOf(result) : facts, rows: result.rows }, format);
  if (typeof text === 'string') return print(context, await ownText(text));
  const page = {
    width: streams.columns,
    colour: streams.colour.out,
    unicode: streams.unicode,
    isWindow: streams.isTerminal.out,
  };
  if (text) return print(context, await text(page));
  const shown = result.shown ? result.shown(page) : facts;
  if (ifNone !== undefined && Array.isArray(shown) && shown.length === 0) return note(streams, ifNone);
  await showValue(context, { value: withoutNulls(shown) }, format, { columns });
}

async function showEach(
  { streams }: Context,
  each: Iterable<ShownRow>,
  { columns, key }: FactsResult,
  format: Format,
): Promise<void> {
  const writer = await format.open({ terminal: streams.isTerminal.out, columns });
  function* keys() {
    for (const one of each) yield key === undefined ? one : one[key];
  }
  await writeAll(streams, writer.many(format === id ? keys() : each));
}

function keysOf({ facts, key }: FactsResult): unknown {
  return key !== undefined && Array.isArray(facts) ? facts.map((fact) => fact[key]) : facts;
}

/** What there is not takes no line of a card. */
function withoutNulls(facts: unknown): unknown {
  if (!isObject(facts)) return facts;
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));
}

async function showPlanned(context: Context, { requests }: PlannedResult): Promise<void> {
  const format = await chosenFormat(context, 'anyone');
  if (format.isForPeople) return print(context, await ownText(requests.map(requestText).join('\n')));
  const [only, ...others] = requests;
  const value = only && others.length === 0 ? only : requests;
  // A request that was not sent has no id.
  await showValue(context, { value }, format === id ? json : format);
}

function requestText({ method, url, body }: Planned): string {
  return `${method} ${url}${body === null ? '' : `\n${JSON.stringify(body, null, 2)}`}\n`;
}

/** A list that may never end has a line for each, in JSON too. */
async function showLive(context: Context, { moments }: LiveResult): Promise<void> {
  const chosen = await chosenFormat(context, 'anyone');
  if (chosen.isForPeople) {
    const { cleanLine } = await import('../../terminal/clean.ts');
    for await (const { line } of moments) await print(context, `${cleanLine(line)}\n`);
    return;
  }
  const { columnsOf } = await import('../../terminal/tabulate.ts');
  const format = chosen === json ? ndjson : chosen;
  const walk = moments[Symbol.asyncIterator]();
  const first = await walk.next();
  if (first.done) return;
  const columns = format.needsColumns ? columnsOf([first.value.facts]).map((name) => ({ name })) : undefined;
  const writer = await format.open({ terminal: context.streams.isTerminal.out, columns });
  async function* all() {
    yield first.value.facts;
    for await (const { facts } of { [Symbol.asyncIterator]: () => walk }) yield facts;
  }
  await writeAll(context.streams, writer.many(all()));
}

/** On a terminal with whatever could act on it escaped. */
async function showTexts({ streams }: Context, { texts, end }: TextsResult): Promise<void> {
  const { escapeText } = await import('../../terminal/clean.ts');
  async function* shown() {
    for await (const text of texts) yield streams.isTerminal.out ? escapeText(text) : text;
  }
  await writeAll(streams, shown());
  end();
}

function print({ streams }: Context, text: string): Promise<void> {
  return write(streams.stdout, text);
}
