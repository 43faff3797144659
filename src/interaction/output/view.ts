/** How records are shown, read from the flags and checked before anything is sent. */
import { includableAfter } from '../../contract/include.ts';
import { splitList } from '../../contract/list-text.ts';
import type { Resource } from '../../contract/resource.ts';
import { usage } from '../../errors.ts';
import type { Format } from '../../terminal/formats/format.ts';
import { id } from '../../terminal/formats/id.ts';
import type { Context } from '../context.ts';
import { chosenFormat, formatOnLine } from './chosen-format.ts';
import { searchExactly } from './exact-query.ts';
import type { Result } from './result.ts';
import { type ViewFlags, viewProblems } from './view-flags.ts';

export interface View {
  resource: Resource;
  format: Format;
  /** `--columns`, in order. */
  columns?: readonly string[] | undefined;
  /** `--query`, over the whole result. */
  select?: ((value: unknown) => unknown) | undefined;
  /** Relations that the answer holds in full. */
  include: readonly string[];
  /** More of them, where the token may see them. */
  implied: readonly string[];
  wide: boolean;
  localTime: boolean;
  /** CSV begins with a byte order mark. */
  bom: boolean;
  /** Bodies as they came. */
  raw: boolean;
}

/** What `--columns ?` shows. */
export async function columnList(resource: Resource): Promise<Result> {
  const { columnNames } = await import('./record-words.ts');
  const names = columnNames(resource);
  return { kind: 'facts', facts: names, isForPeople: true, text: names.join('\n') };
}

/** Throws one usage failure where the flags contradict each other or name what isn’t there. */
export async function readView(context: Context, resource: Resource, flags: ViewFlags): Promise<View> {
  const { raw = false, wide = false, localTime = false, bom = false } = flags;
  // A query can answer anything: JSON shows it, unless something else is asked for.
  const format = await chosenFormat(context, flags.query === undefined ? 'anyone' : 'program');
  const problems = viewProblems(flags, format, await formatOnLine(context));
  if (format === id && !Object.hasOwn(resource.fields, 'id') && flags.query === undefined) {
    problems.push(`${resource.command} has no id.`);
  }
  if (problems.length > 0) throw usage(problems.join(' '));
  const columns = await readColumns(resource, flags.columns, context.globals.unchecked ?? false);
  const select = flags.query === undefined ? undefined : await compileQuery(flags.query);
  const include = splitList(flags.include ?? '');
  return { resource, format, columns, select, include, implied: [], raw, wide, localTime, bom };
}

/**
 * Relations to ask for: those that the view can't do without besides those that were named. A table shows names of
 * related records, a card all relations, and a column of a relation needs it in full.
 */
export function withImplied(view: View, shown: 'list' | 'record'): View {
  const { resource, include, columns, format, raw, select } = view;
  if (raw || (!columns && (!format.isForPeople || select))) return view;
  const all = shown === 'list' ? resource.columns : Object.keys(resource.fields);
  const implied = (columns ?? all)
    .map((column) => includablePart(resource, column))
    .filter((path) => path !== '' && !include.some((named) => `${named}.`.startsWith(`${path}.`)));
  const wanted = [...new Set(implied)];
  // Columns that somebody named are asked for; those of a table are a favour.
  return columns ? { ...view, include: [...include, ...wanted] } : { ...view, implied: wanted };
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
  const { checkColumns } = await import('./record-words.ts');
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
  const search = (value: unknown) => TreeInterpreter.search(compiled, value as never);
  return (value) => attempt(() => searchExactly(search, value));
}
