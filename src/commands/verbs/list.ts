/** `boh RESOURCE list`: every filter a flag; a first page for people, every row for machines. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Page, Row } from '../../client/answer.ts';
import type { Operation } from '../../contract/operation.ts';
import { usage } from '../../errors.ts';
import { note } from '../../terminal/messages.ts';
import { progress } from '../../terminal/progress.ts';
import type { Context } from '../context.ts';
import { filterOptions, givenValues } from '../flags.ts';
import { readQuery } from '../list-query.ts';
import { outputName, printRaw, printRecords, type View } from '../output.ts';
import { printPlanned } from '../planned.ts';
import { resolveFilters } from '../resolve.ts';
import { addViewOptions } from '../view-options.ts';

interface ListOptions extends Omit<View, 'resource'> {
  filter: string[];
  include?: string;
  sort?: string;
  limit?: string;
  page?: string;
  all?: boolean;
  raw?: boolean;
}

export function configureList(command: Command, operation: Operation, context: Context): void {
  const filters = operation.resource.list?.filters ?? [];
  for (const option of filterOptions(filters)) command.addOption(option);
  const others: [string, string][] = [
    ['--include <relations>', 'relations to show in full, such as a,b.c'],
    ['--sort <fields>', 'fields to sort by; - in front for the last first'],
    ['--limit <number>', 'no more rows than this'],
    ['--page <number>', 'this page alone'],
    ['--all', 'every row, on a terminal too'],
  ];
  command.addOption(
    new Option('--filter <key=value>', 'any other filter, passed on as it is')
      .argParser((text: string, before: string[] = []) => [...before, text])
      .default([], 'none')
      .helpGroup('Filters:'),
  );
  for (const [flags, about] of others) command.addOption(new Option(flags, about).helpGroup('Rows:'));
  addViewOptions(command);
  command.action((options: ListOptions) => runList(command, operation, context, options));
}

async function runList(
  command: Command,
  operation: Operation,
  context: Context,
  options: ListOptions,
): Promise<void> {
  const { resource } = operation;
  const view: View = { ...options, resource };
  if (options.columns === '?') return printColumnNames(context, view);
  const limit = readLimit(options.limit);
  await outputName(context);
  const names = resource.list?.filters.map(({ name }) => name) ?? [];
  const given = { ...options, filters: givenValues(command, names), extra: options.filter };
  const read = await readQuery(resource, given, {
    now: context.now(),
    unchecked: context.globals.unchecked ?? false,
  });
  const client = await context.client();
  if (context.globals.dryRun) return printPlanned(context, [client.requestFor({ operation, query: read })]);
  const query = await resolveFilters(client, resource, read);

  const isFirstPageOnly =
    context.streams.isTerminal.out && !options.all && !options.page && limit === undefined;
  const shown = progress(context.streams, { label: `Reading ${resource.command.replaceAll('-', ' ')}` });
  let last: Page | undefined;
  async function* pages(): AsyncGenerator<Page> {
    for await (const page of client.pages({ operation, query })) {
      last = page;
      yield page;
      if (isFirstPageOnly) return;
    }
  }
  try {
    if (options.raw) return await printRaw(context, pages());
    const { rows, wasCut } = upTo(limit, pages(), shown.update);
    const count = await printRecords(context, view, rows);
    shown.done();
    if (context.streams.isTerminal.out || wasCut())
      tellCount(context, count, last, { isFirstPageOnly, wasCut: wasCut() });
  } finally {
    shown.done();
  }
}

/** Rows of pages, up to a limit; and whether there were more. */
function upTo(
  limit: number | undefined,
  pages: AsyncIterable<Page>,
  tell: (count: number) => void,
): { rows: AsyncGenerator<Row>; wasCut: () => boolean } {
  let cut = false;
  async function* rows() {
    let count = 0;
    for await (const page of pages) {
      for (const [index, row] of page.rows.entries()) {
        yield row;
        if (++count !== limit) continue;
        cut = index + 1 < page.rows.length || page.hasNext === true;
        return;
      }
      tell(count);
    }
  }
  return { rows: rows(), wasCut: () => cut };
}

/** Nothing is cut silently: how many there are, and how to see the rest. */
function tellCount(
  { streams }: Context,
  count: number,
  last: Page | undefined,
  { isFirstPageOnly, wasCut }: { isFirstPageOnly: boolean; wasCut: boolean },
): void {
  const hasMore =
    wasCut ||
    (isFirstPageOnly && (last?.lastPage === undefined ? last?.hasNext === true : last.lastPage > 1));
  const total = last?.total;
  const rows = count === 1 ? 'row' : 'rows';
  const all = wasCut ? 'leave out --limit' : 'add --all, or --page 2 for the next page';
  const some = total === undefined ? `${count} ${rows}, and there are more` : `${count} of ${total} rows`;
  note(streams, hasMore ? `${some}; to see the rest, ${all}.` : `${count} ${rows}.`);
}

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (Number.isSafeInteger(limit) && limit > 0) return limit;
  throw usage('--limit must be a whole number from 1 on.');
}

async function printColumnNames({ streams }: Context, { resource }: View): Promise<void> {
  const [{ columnNames }, { write }] = await Promise.all([
    import('../present.ts'),
    import('../../terminal/streams.ts'),
  ]);
  await write(streams.stdout, `${columnNames(resource).join('\n')}\n`);
}
