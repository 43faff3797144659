/** The flags that say how results are shown, and checking them before anything is sent. */
import { type Command, Option } from 'commander';
import { includableAfter } from '../../contract/include.ts';
import type { Resource } from '../../contract/resource.ts';
import { splitList } from '../../contract/text.ts';
import { usage } from '../../errors.ts';
import { write } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { outputName, type View } from './output.ts';

/** As typed. */
export interface ViewFlags {
  columns?: string;
  query?: string;
  raw?: boolean;
  wide?: boolean;
  localTime?: boolean;
  bom?: boolean;
  include?: string;
}

const viewFlags = [
  ['--columns <names>', 'these columns, in this order; ? lists them'],
  ['--query <expression>', 'choose and reshape with JMESPath'],
  ['--raw', 'the answer’s body as it came'],
  ['--wide', 'cut nothing to fit the window'],
  ['--local-time', 'times of this machine instead of UTC'],
  ['--bom', 'begin CSV with a mark that spreadsheets want'],
] as const;

export function addViewFlags(command: Command): void {
  for (const [flags, about] of viewFlags) command.addOption(new Option(flags, about).helpGroup('Output:'));
}

/** Runs a command with its view. `--columns ?` lists the columns in its place. */
export async function withView(
  context: Context,
  resource: Resource,
  flags: ViewFlags,
  run: (view: View) => Promise<void>,
): Promise<void> {
  if (flags.columns !== '?') return run(await readView(context, resource, flags));
  const { columnNames } = await import('./present.ts');
  await write(context.streams.stdout, `${columnNames(resource).join('\n')}\n`);
}

async function readView(context: Context, resource: Resource, flags: ViewFlags): Promise<View> {
  const { raw = false, wide = false, localTime = false, bom = false } = flags;
  if (raw && (flags.columns !== undefined || flags.query !== undefined)) {
    throw usage('--raw prints bodies as they came: leave out --columns and --query.');
  }
  const columns = await readColumns(resource, flags.columns, context.globals.unchecked ?? false);
  const select = flags.query === undefined ? undefined : await compileQuery(flags.query);
  const format = await outputName(context);
  const include = splitList(flags.include ?? '');
  return { resource, format, columns, select, include, raw, wide, localTime, bom };
}

/**
 * Relations to ask for: those that the view can't do without besides those that were named. A table shows names of
 * related records, a card all relations, and a column of a relation needs it in full.
 */
export function withImplied(view: View, shown: 'list' | 'record'): View {
  const { resource, include, columns, format, raw, select } = view;
  if (raw || (!columns && (format !== 'table' || select))) return view;
  const all = shown === 'list' ? resource.columns : Object.keys(resource.fields);
  const implied = (columns ?? all)
    .map((column) => includablePart(resource, column))
    .filter((path) => path !== '' && !include.some((named) => `${named}.`.startsWith(`${path}.`)));
  return { ...view, include: [...include, ...new Set(implied)] };
}

/** `addresses.delivery_zone.name` needs `addresses.delivery_zone`. */
function includablePart(resource: Resource, column: string): string {
  const path: string[] = [];
  for (const name of column.split('.')) {
    if (!includableAfter(resource, path)?.includes(name)) break;
    path.push(name);
  }
  return path.join('.');
}

async function readColumns(
  resource: Resource,
  typed: string | undefined,
  unchecked: boolean,
): Promise<string[] | undefined> {
  if (typed === undefined) return undefined;
  const names = splitList(typed);
  if (names.length === 0) throw usage('--columns names no column.', { hint: 'See them all: --columns ?' });
  if (unchecked) return names;
  const { checkColumns } = await import('./present.ts');
  await checkColumns(resource, names);
  return names;
}

async function compileQuery(expression: string): Promise<(value: unknown) => unknown> {
  const { compile, TreeInterpreter } = await import('@jmespath-community/jmespath');
  const inWords = (cause: unknown) =>
    usage(`--query can’t be used: ${cause instanceof Error ? cause.message : String(cause)}`, {
      hint: 'It is JMESPath, such as "[].name".',
      cause,
    });
  const attempt = <Value>(work: () => Value): Value => {
    try {
      return work();
    } catch (cause) {
      throw inWords(cause);
    }
  };
  const compiled = attempt(() => compile(expression));
  // What the service answers is JSON; the library's own type for that knows no readonly arrays.
  return (value) => attempt(() => TreeInterpreter.search(compiled, value as never));
}
