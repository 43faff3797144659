/** How records are shown, read from the flags and checked before anything is sent. Flags without an effect are refused. */
import { usage } from '../base/errors.ts';
import type { Context } from '../context/context.ts';
import { includableAfter } from '../contract/include.ts';
import { splitList } from '../contract/list-text.ts';
import type { Resource } from '../contract/resource.ts';
import type { Format, LayoutFlag } from '../terminal/formats/format.ts';
import { id } from '../terminal/formats/id.ts';
import { formats } from '../terminal/formats/index.ts';
import { chosenFormat, formatOnLine } from './chosen-format.ts';
import { checkColumns, columnNames } from './columns.ts';
import { compileQuery } from './query.ts';
import type { Result } from './result.ts';

/** The layout flags as typed. */
export interface ViewFlags {
  columns?: string;
  query?: string;
  raw?: boolean;
  wide?: boolean;
  localTime?: boolean;
  bom?: boolean;
  include?: string;
  /** The limit of a list. */
  limit?: string;
}

const flagOf: Readonly<Record<LayoutFlag, string>> = {
  columns: '--columns',
  wide: '--wide',
  localTime: '--local-time',
  bom: '--bom',
};
const layoutFlags = Object.keys(flagOf) as LayoutFlag[];

/** Throws a usage failure for layout flags of a result that has no layout. `what` begins the message. */
export function refuseLayout(flags: ViewFlags, what: string): void {
  const given = [
    ...layoutFlags
      .filter((choice) => flags[choice] !== undefined && flags[choice] !== false)
      .map((it) => flagOf[it]),
    ...(flags.query === undefined ? [] : ['--query']),
    ...(flags.raw ? ['--raw'] : []),
  ];
  if (given.length > 0) throw usage(`${what}: omit ${listed(given)}.`);
}

/** Returns what is wrong with the flags. `named` is the format that the command line names. */
function viewProblems(flags: ViewFlags, format: Format, named: Format | undefined): string[] {
  const given = layoutFlags.filter((choice) => flags[choice] !== undefined && flags[choice] !== false);
  if (flags.raw) {
    const others = [
      ...given.map((choice) => flagOf[choice]),
      ...(flags.query === undefined ? [] : ['--query']),
      ...(flags.limit === undefined ? [] : ['--limit']),
      ...(named === undefined || named.name === 'json' ? [] : [`-o ${named.name}`]),
    ];
    return others.length === 0 ? [] : [`--raw prints response bodies unchanged: omit ${listed(others)}.`];
  }
  const byQuery: readonly LayoutFlag[] = flags.query === undefined ? [] : ['columns', 'localTime'];
  const useless = given.filter((choice) => byQuery.includes(choice)).map((choice) => flagOf[choice]);
  return [
    ...(useless.length === 0 ? [] : [`--query selects the output: omit ${listed(useless)}.`]),
    ...given
      .filter((choice) => !byQuery.includes(choice) && !format.layoutFlags.includes(choice))
      .map((choice) => `${flagOf[choice]} works with ${formatsWith(choice)}, not with -o ${format.name}.`),
  ];
}

function formatsWith(choice: LayoutFlag): string {
  const able = formats.filter((format) => (format.layoutFlags as readonly LayoutFlag[]).includes(choice));
  return listed(
    able.map(({ name }) => `-o ${name}`),
    'or',
  );
}

function listed(words: readonly string[], conjunction = 'and'): string {
  return words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`;
}

/** How records are shown. */
export interface View {
  resource: Resource;
  format: Format;
  /** `--columns`, in order. */
  columns?: readonly string[] | undefined;
  /** `--query`, over the whole result. */
  select?: ((value: unknown) => unknown) | undefined;
  /** Relations that the response includes in full. */
  include: readonly string[];
  /** More relations, included if the token may see them. */
  implied: readonly string[];
  wide: boolean;
  localTime: boolean;
  /** Whether CSV starts with a byte order mark. */
  bom: boolean;
  /** Whether response bodies are printed unchanged. */
  raw: boolean;
}

/** Returns the result of `--columns ?`. */
export function columnList(resource: Resource): Result {
  const names = columnNames(resource);
  return { kind: 'facts', facts: names, isForPeople: true, text: names.join('\n') };
}

/** Reads the flags. Throws one usage failure if they contradict each other or name columns that don't exist. */
export async function readView(context: Context, resource: Resource, flags: ViewFlags): Promise<View> {
  const { raw = false, wide = false, localTime = false, bom = false } = flags;
  // A query can return anything, which JSON shows unless another format was chosen.
  const format = await chosenFormat(context, flags.query === undefined ? 'anyone' : 'program');
  const problems = viewProblems(flags, format, await formatOnLine(context));
  if (format === id && !Object.hasOwn(resource.fields, 'id') && flags.query === undefined) {
    problems.push(`${resource.command} has no ID.`);
  }
  if (problems.length > 0) throw usage(problems.join(' '));
  const columns = readColumns(resource, flags.columns, context.globals.unchecked ?? false);
  const select = flags.query === undefined ? undefined : await compileQuery(flags.query);
  const include = splitList(flags.include ?? '');
  return { resource, format, columns, select, include, implied: [], raw, wide, localTime, bom };
}

/**
 * Adds the relations that the view needs: a table shows names of related records, a card all relations, and a column of
 * a relation needs the relation in full.
 */
export function withImplied(view: View, shown: 'list' | 'record'): View {
  const { resource, include, columns, format, raw, select } = view;
  if (raw || (!columns && (!format.isForPeople || select))) return view;
  const all = shown === 'list' ? resource.columns : Object.keys(resource.fields);
  const implied = (columns ?? all)
    .map((column) => includablePart(resource, column))
    .filter((path) => path !== '' && !include.some((named) => `${named}.`.startsWith(`${path}.`)));
  const wanted = [...new Set(implied)];
  // Columns that were chosen are required; those of a table are only shown if the token may see them.
  return columns ? { ...view, include: [...include, ...wanted] } : { ...view, implied: wanted };
}

/** Returns the relation that a column needs: `addresses.delivery_zone.name` needs `addresses.delivery_zone`. */
function includablePart(resource: Resource, column: string): string {
  const path: string[] = [];
  for (const name of column.split('.')) {
    if (!includableAfter(resource, path)?.includes(name)) break;
    path.push(name);
  }
  return path.join('.');
}

function readColumns(
  resource: Resource,
  typed: string | undefined,
  unchecked: boolean,
): string[] | undefined {
  if (typed === undefined) return undefined;
  const names = splitList(typed);
  if (names.length === 0) throw usage('--columns is empty.', { hint: 'To list all columns: --columns ?' });
  if (unchecked) return names;
  checkColumns(resource, names);
  return names;
}
