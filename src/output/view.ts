/** Parses the flags for the layout of records before a request is sent. Flags without an effect are refused. */

import { usage } from '../base/errors.ts';
import { localTimeZone } from '../base/local-time-zone.ts';
import type { Context } from '../context/context.ts';
import { splitList } from '../contract/comma-list.ts';
import { includableAfter } from '../contract/include.ts';
import type { Resource } from '../contract/resource.ts';
import type { Format, LayoutFlag } from '../terminal/formats/format.ts';
import { id } from '../terminal/formats/id.ts';
import { formats } from '../terminal/formats/index.ts';
import { chooseFormat, formatFromFlags } from './choose-format.ts';
import { checkColumns, columnNames } from './columns.ts';
import { compileQuery } from './query.ts';
import type { Result } from './result.ts';

/** The layout flags of a command line, not yet validated. */
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

const flagNames: Readonly<Record<LayoutFlag, string>> = {
  columns: '--columns',
  wide: '--wide',
  localTime: '--local-time',
  bom: '--bom',
};
const layoutFlags = Object.keys(flagNames) as LayoutFlag[];

/** Throws a usage failure for layout flags if the result has no layout. `messageStart` begins the message. */
export function refuseLayout(flags: ViewFlags, messageStart: string): void {
  const flagsInUse = [
    ...layoutFlags
      .filter((flag) => flags[flag] !== undefined && flags[flag] !== false)
      .map((flag) => flagNames[flag]),
    ...(flags.query === undefined ? [] : ['--query']),
    ...(flags.raw ? ['--raw'] : []),
  ];
  if (flagsInUse.length > 0) throw usage(`${messageStart}: omit ${joinWords(flagsInUse)}.`);
}

/** Returns the problems of the flags. `requestedFormat` is the format that the command line names, if any. */
function findViewProblems(flags: ViewFlags, format: Format, requestedFormat: Format | undefined): string[] {
  const flagsInUse = layoutFlags.filter((flag) => flags[flag] !== undefined && flags[flag] !== false);
  if (flags.raw) {
    const conflictingFlags = [
      ...flagsInUse.map((flag) => flagNames[flag]),
      ...(flags.query === undefined ? [] : ['--query']),
      ...(flags.limit === undefined ? [] : ['--limit']),
      ...(requestedFormat === undefined || requestedFormat.name === 'json'
        ? []
        : [`-o ${requestedFormat.name}`]),
    ];
    return conflictingFlags.length === 0
      ? []
      : [`--raw prints response bodies unchanged: omit ${joinWords(conflictingFlags)}.`];
  }
  const flagsOfQuery: readonly LayoutFlag[] = flags.query === undefined ? [] : ['columns', 'localTime'];
  const conflictingFlags = flagsInUse
    .filter((flag) => flagsOfQuery.includes(flag))
    .map((flag) => flagNames[flag]);
  return [
    ...(conflictingFlags.length === 0
      ? []
      : [`--query selects the output: omit ${joinWords(conflictingFlags)}.`]),
    ...flagsInUse
      .filter((flag) => !flagsOfQuery.includes(flag) && !format.layoutFlags.includes(flag))
      .map((flag) => `${flagNames[flag]} works with ${formatsWith(flag)}, not with -o ${format.name}.`),
  ];
}

function formatsWith(flag: LayoutFlag): string {
  const supporting = formats.filter((format) => (format.layoutFlags as readonly LayoutFlag[]).includes(flag));
  return joinWords(
    supporting.map(({ name }) => `-o ${name}`),
    'or',
  );
}

function joinWords(words: readonly string[], conjunction = 'and'): string {
  return words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`;
}

/** The layout of records. */
export interface View {
  resource: Resource;
  format: Format;
  /** The columns of `--columns`, in order. */
  columns?: readonly string[] | undefined;
  /** The chosen columns that the API document doesn't have: a record of the result must have them. */
  otherColumns: readonly string[];
  /** The function of `--query`, which is applied to the whole result. */
  select?: ((value: unknown) => unknown) | undefined;
  /** The relations that the response must include. */
  include: readonly string[];
  /** Further relations that are included if the token may read them. */
  optionalInclude: readonly string[];
  wide: boolean;
  localTime: boolean;
  /** Whether CSV starts with a byte order mark. */
  bom: boolean;
  /** Whether response bodies are printed unchanged. */
  raw: boolean;
}

/** Returns the result of `--columns ?`. */
export function columnListResult(resource: Resource): Result {
  const names = columnNames(resource);
  return { kind: 'data', data: names, isForPeople: true, text: names.join('\n') };
}

/** Parses the layout flags. Throws one usage failure if they contradict each other or name columns that don't exist. */
export async function parseView(context: Context, resource: Resource, flags: ViewFlags): Promise<View> {
  const { raw = false, wide = false, localTime = false, bom = false } = flags;
  // A query can return any value, so the default format is JSON.
  const format = await chooseFormat(context, flags.query === undefined ? 'anyone' : 'program');
  const problems = findViewProblems(flags, format, await formatFromFlags(context));
  if (format === id && !Object.hasOwn(resource.fields, 'id') && flags.query === undefined) {
    problems.push(`${resource.command} has no ID.`);
  }
  if (problems.length > 0) throw usage(problems.join(' '));
  if (localTime) localTimeZone();
  const columns = parseColumns(flags.columns);
  const isChecked = columns !== undefined && !context.globals.unchecked;
  // A write is sent only if its result can be shown.
  const otherColumns = isChecked ? checkColumns(resource, columns, { allowsOthers: !context.isWrite }) : [];
  const select = flags.query === undefined ? undefined : await compileQuery(flags.query);
  const include = splitList(flags.include ?? '');
  return {
    resource,
    format,
    columns,
    otherColumns,
    select,
    include,
    optionalInclude: [],
    raw,
    wide,
    localTime,
    bom,
  };
}

/**
 * Adds the relations that the view needs. A table shows names of related records, a card shows all relations, and a column
 * of a relation needs the related records.
 */
export function withShownRelations(view: View, layout: 'list' | 'record'): View {
  const { resource, include, columns, format, raw, select } = view;
  if (raw || (!columns && (!format.isForPeople || select))) return view;
  const defaultColumns = layout === 'list' ? resource.columns : Object.keys(resource.fields);
  const paths = (columns ?? defaultColumns)
    .map((column) => includablePart(resource, column))
    .filter((path) => path !== '' && !include.some((included) => `${included}.`.startsWith(`${path}.`)));
  const neededRelations = [...new Set(paths)];
  // Chosen columns are required. Default columns are shown only if the token may read them.
  return columns
    ? { ...view, include: [...include, ...neededRelations] }
    : { ...view, optionalInclude: neededRelations };
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

function parseColumns(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const names = splitList(text);
  if (names.length === 0) throw usage('--columns is empty.', { hint: 'To list all columns: --columns ?' });
  return names;
}
