/** From records to stdout, in the format that was asked for; only results ever go there. */
import type { Page } from '../../client/answer.ts';
import type { Resource } from '../../contract/resource.ts';
import { usage } from '../../errors.ts';
import { outputFormats } from '../../settings/setting-list.ts';
import type { Format, FormatName } from '../../terminal/formats/format.ts';
import { note } from '../../terminal/messages.ts';
import { write, writeAll } from '../../terminal/streams.ts';
import { type Row, valueAt } from '../../terminal/value-at.ts';
import type { Context } from '../context.ts';
import { maskBody } from './mask.ts';

export type OutputName = (typeof outputFormats)[number];

/** How results are shown: `view.ts` reads it from the flags, and checks it before anything is sent. */
export interface View {
  resource: Resource;
  format: OutputName;
  /** `--columns`, in order. */
  columns?: readonly string[] | undefined;
  /** `--query`, over the whole result. */
  select?: ((value: unknown) => unknown) | undefined;
  /** Relations that the answer holds in full. */
  include: readonly string[];
  wide: boolean;
  localTime: boolean;
  /** CSV begins with a byte order mark. */
  bom: boolean;
  /** Bodies as they came. */
  raw: boolean;
}

/** Flag, environment, profile; else a table for a terminal and JSON for anything else. */
export async function outputName(context: Context): Promise<OutputName> {
  const name = context.globals.output ?? (await context.settings()).output;
  if (name === undefined) return context.streams.isTerminal.out ? 'table' : 'json';
  if (isOutputName(name)) return name;
  const { didYouMean } = await import('../../suggest.ts');
  throw usage(`There is no output format "${name}".${didYouMean(name, outputFormats)}`, {
    hint: `Formats: ${outputFormats.join(', ')}.`,
  });
}

export function isOutputName(name: string): name is OutputName {
  return (outputFormats as readonly string[]).includes(name);
}

/** One record: a card for people, the record itself for machines. */
export async function printRecord(context: Context, view: View, answered: Row): Promise<void> {
  const record = presentable(view, answered);
  if (view.select) return printValue(context, view, view.select(record));
  if (view.format === 'table') return printCard(context, view, record);
  const { one } = await formatFor(context, view);
  await write(context.streams.stdout, one(record));
  noteUnshown(context, view, Object.keys(record));
}

/** Records as they arrive; a table and a query need them all first. */
export async function printRecords(context: Context, view: View, rows: AsyncIterable<Row>): Promise<void> {
  const names = new Set<string>();
  async function* records() {
    for await (const row of rows) {
      for (const name of Object.keys(row)) names.add(name);
      yield presentable(view, row);
    }
  }
  if (view.select) return printValue(context, view, view.select(await Array.fromAsync(records())));
  if (view.format === 'table') return printTable(context, view, await Array.fromAsync(records()));
  const { many } = await formatFor(context, view);
  await writeAll(context.streams.stdout, many(records()));
  noteUnshown(context, view, names);
}

/** A body as it came; on a terminal with whatever could act on it escaped. */
export async function printRaw({ streams }: Context, { body }: Pick<Page, 'body'>): Promise<void> {
  const whole = body.endsWith('\n') ? body : `${body}\n`;
  if (!streams.isTerminal.out) return write(streams.stdout, whole);
  const { escapeText } = await import('../../terminal/clean.ts');
  await write(streams.stdout, escapeText(whole));
}

/** Of the records related to one record, on a card. */
const mostShown = 20;

async function printCard({ streams }: Context, view: View, record: Row): Promise<void> {
  const [{ cardEntries }, { renderCard }] = await Promise.all([
    import('./present.ts'),
    import('../../terminal/card.ts'),
  ]);
  const { colour, unicode } = streams;
  const mostItems = view.wide ? undefined : mostShown;
  const card = renderCard(cardEntries(view, record), record, { colour: colour.out, unicode, mostItems });
  await write(streams.stdout, card);
}

async function printTable({ streams }: Context, view: View, rows: Row[]): Promise<void> {
  const { recordTable } = await import('./record-table.ts');
  const { text, note: aside } = recordTable(view, rows, streams);
  await write(streams.stdout, text);
  if (aside) note(streams, aside);
}

/** A query can answer anything, so there is no table for it. */
async function printValue(context: Context, view: View, value: unknown): Promise<void> {
  const format = view.format === 'table' ? 'json' : view.format;
  const { one, many } = await loadFor(context, { ...view, format });
  const { stdout } = context.streams;
  if (Array.isArray(value)) await writeAll(stdout, many(value));
  else await write(stdout, one(value));
}

/** CSV gets its columns from the contract, so that it has the same ones every day and can be streamed. */
async function formatFor(context: Context, view: View): Promise<Format> {
  if (view.format !== 'csv') return loadFor(context, view);
  if (view.columns) return loadFor(context, view, view.columns);
  const { csvColumns } = await import('./csv-columns.ts');
  return loadFor(context, view, csvColumns(view.resource, view.include));
}

async function loadFor(
  { streams }: Context,
  { format, bom }: View,
  columns?: readonly string[],
): Promise<Format> {
  const { loadFormat } = await import('../../terminal/formats/format.ts');
  const terminal = streams.isTerminal.out;
  return loadFormat(format as FormatName, { terminal, bom, ...(columns && { columns }) });
}

/** Nothing is left out silently: fields that the service gives and the contract doesn't know. */
function noteUnshown(
  { streams }: Context,
  { resource, format, columns }: View,
  names: Iterable<string>,
): void {
  if (format !== 'csv' || columns) return;
  const unknown = [...names].filter((name) => !Object.hasOwn(resource.fields, name));
  if (unknown.length === 0) return;
  note(streams, `The service also gives ${unknown.join(', ')}: choose them with --columns and --unchecked.`);
}

/**
 * What is shown of a record: never a secret, though the service may show one, and for formats that don't choose
 * columns themselves those that were asked for.
 */
function presentable({ format, columns, select }: View, answered: Row): Row {
  const record = maskBody(answered) as Row;
  const isWhole = select !== undefined || format === 'table' || format === 'csv' || format === 'id';
  if (columns === undefined || isWhole) return record;
  return Object.fromEntries(columns.map((name) => [name, valueAt(record, name) ?? null]));
}
