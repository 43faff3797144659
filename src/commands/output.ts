/** From records to stdout, in the format that was asked for; only results ever go there. */
import type { Page } from '../client/answer.ts';
import type { Resource } from '../contract/resource.ts';
import { splitList } from '../contract/text.ts';
import { usage } from '../errors.ts';
import { outputFormats } from '../settings/setting-list.ts';
import type { FormatName } from '../terminal/formats/format.ts';
import { note } from '../terminal/messages.ts';
import { write, writeAll } from '../terminal/streams.ts';
import { valueAt } from '../terminal/value-at.ts';
import type { Context } from './context.ts';

/** What an answer is shown as. */
export interface View {
  resource: Resource;
  /** `--columns`: names, in order; `?` lists them. */
  columns?: string | undefined;
  /** `--query`: JMESPath over the whole result. */
  query?: string | undefined;
  wide?: boolean | undefined;
  localTime?: boolean | undefined;
  /** `--bom`, for CSV. */
  bom?: boolean | undefined;
}

export type OutputName = (typeof outputFormats)[number];

/** Flag, environment, profile; else a table for a terminal and JSON for anything else. */
export async function outputName(context: Context): Promise<OutputName> {
  const name = context.globals.output ?? (await context.settings()).output;
  if (name === undefined) return context.streams.isTerminal.out ? 'table' : 'json';
  if (isOutputName(name)) return name;
  const { didYouMean } = await import('./suggest.ts');
  throw usage(`There is no output format "${name}".${didYouMean(name, outputFormats)}`, {
    hint: `Formats: ${outputFormats.join(', ')}.`,
  });
}

export function isOutputName(name: string): name is OutputName {
  return (outputFormats as readonly string[]).includes(name);
}

/** One record: a card on a terminal, the record itself for machines. */
export async function printRecord(
  context: Context,
  view: View,
  record: Readonly<Record<string, unknown>>,
): Promise<void> {
  const name = await outputName(context);
  const columns = await chosenColumns(view);
  const { stdout, colour, unicode } = context.streams;
  if (view.query !== undefined) return printValue(context, await select(view.query, record), name, view);
  if (name !== 'table') return printValue(context, columns ? pick(record, columns) : record, name, view);
  const [{ cardEntries }, { renderCard }] = await Promise.all([
    import('./present.ts'),
    import('../terminal/card.ts'),
  ]);
  const shown = columns ? pick(record, columns) : record;
  const entries = cardEntries(view.resource, shown, { localTime: view.localTime ?? false });
  await write(stdout, renderCard(entries, shown, { colour: colour.out, unicode }));
}

/** Records as they arrive. A table, a query and CSV without columns need them all first. */
export async function printRecords(
  context: Context,
  view: View,
  rows: AsyncIterable<Readonly<Record<string, unknown>>>,
): Promise<number> {
  const name = await outputName(context);
  const columns = await chosenColumns(view);
  let count = 0;
  async function* counted() {
    for await (const row of rows) {
      count++;
      yield row;
    }
  }
  if (view.query !== undefined) {
    await printValue(context, await select(view.query, await Array.fromAsync(counted())), name, view);
  } else if (name === 'table') {
    await printTable(context, view, columns, await Array.fromAsync(counted()));
  } else {
    const format = await formatFor(context, name, view, columns);
    const picked = columns && name !== 'csv' ? mapRows(counted(), (row) => pick(row, columns)) : counted();
    await writeAll(context.streams.stdout, format.many(picked));
  }
  return count;
}

/** Bodies as they came, one after another. */
export async function printRaw(context: Context, pages: AsyncIterable<Page>): Promise<void> {
  for await (const { body } of pages)
    await write(context.streams.stdout, body.endsWith('\n') ? body : `${body}\n`);
}

async function printTable(
  context: Context,
  view: View,
  columns: readonly string[] | undefined,
  rows: Readonly<Record<string, unknown>>[],
): Promise<void> {
  const { streams } = context;
  const [{ tableColumns }, { renderTable }] = await Promise.all([
    import('./present.ts'),
    import('../terminal/table.ts'),
  ]);
  const table = renderTable(
    tableColumns(view.resource, columns, { localTime: view.localTime ?? false }),
    rows,
    {
      ...(streams.isTerminal.out && !view.wide && { width: streams.columns }),
      colour: streams.colour.out,
      unicode: streams.unicode,
      mark: (row) => (row.deleted_at == null ? undefined : 'deleted'),
    },
  );
  await write(streams.stdout, table.text);
  if (table.note) note(streams, table.note);
}

async function printValue(context: Context, value: unknown, name: OutputName, view: View): Promise<void> {
  // A query can answer anything, so there is no table for it.
  const format = await formatFor(context, name === 'table' ? 'json' : name, view, undefined);
  const { stdout } = context.streams;
  const isStream = Array.isArray(value) && name !== 'table' && name !== 'json';
  if (isStream) await writeAll(stdout, format.many(value));
  else await write(stdout, format.one(value));
}

async function formatFor(
  context: Context,
  name: FormatName,
  view: View,
  columns: readonly string[] | undefined,
) {
  const { loadFormat } = await import('../terminal/formats/format.ts');
  return loadFormat(name, {
    terminal: context.streams.isTerminal.out,
    ...(columns && { columns }),
    ...(view.bom && { bom: true }),
  });
}

async function chosenColumns({ columns, resource }: View): Promise<string[] | undefined> {
  if (columns === undefined) return undefined;
  const names = splitList(columns);
  if (names.length === 0) throw usage('--columns names no column.', { hint: 'See them all: --columns ?' });
  const { checkColumns } = await import('./present.ts');
  await checkColumns(resource, names);
  return names;
}

async function select(expression: string, value: unknown): Promise<unknown> {
  const { search } = await import('@jmespath-community/jmespath');
  try {
    // The library's own JSON type knows no readonly arrays; what comes from JSON is JSON.
    return search(value as Parameters<typeof search>[0], expression);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw usage(`--query can’t be understood: ${reason}`, {
      hint: 'It is JMESPath, such as "[].name".',
      cause,
    });
  }
}

function pick(
  record: Readonly<Record<string, unknown>>,
  columns: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(columns.map((name) => [name, valueAt(record, name) ?? null]));
}

async function* mapRows<From, To>(rows: AsyncIterable<From>, change: (row: From) => To): AsyncGenerator<To> {
  for await (const row of rows) yield change(row);
}
