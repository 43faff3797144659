/** Parses the flags for the layout of records before a request is sent. Flags without an effect are refused. */

import { splitList } from '../../api/contract/comma-list.ts';
import { includableAfter } from '../../api/contract/include.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { Failure, usage } from '../../base/errors.ts';
import { localTimeZone } from '../../base/local-time-zone.ts';
import { describeInexactness, ExactNumber, parseExactJson } from '../../base/number-text.ts';
import type { Context } from '../context/context.ts';
import type { Format, LayoutFlag } from '../terminal/formats/format.ts';
import { id } from '../terminal/formats/id.ts';
import { formats } from '../terminal/formats/index.ts';
import { chooseFormat, formatFromFlags } from './choose-format.ts';
import { checkColumns, columnNames } from './columns.ts';
import type { Result } from './result.ts';
import { shownTimeZone } from './times.ts';

/** The layout flags of a command line, not yet validated. */
export interface ViewFlags {
  columns?: string;
  query?: string;
  raw?: boolean;
  wide?: boolean;
  localTime?: boolean;
  bom?: boolean;
  include?: string;
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
  /** The time zone of timestamps for people. */
  timeZone: string;
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
  const timeZone = localTime ? localTimeZone() : format.isForPeople ? await shownTimeZone(context) : 'UTC';
  const { outputText } = context.globals;
  if (outputText !== undefined && flags.columns !== undefined)
    throw usage("--output-text can't be combined with --columns.");
  const columns =
    outputText === undefined || flags.query !== undefined ? parseColumns(flags.columns) : [outputText];
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
    timeZone,
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
  const neededRelations = relationsOf(resource, columns ?? defaultColumns, include);
  // Chosen columns are required. Default columns are shown only if the token may read them.
  return columns
    ? { ...view, include: [...include, ...neededRelations] }
    : { ...view, optionalInclude: neededRelations };
}

/** Returns the relations that columns need, without those that are included. */
export function relationsOf(
  resource: Resource,
  columns: readonly string[],
  include: readonly string[],
): string[] {
  const paths = columns
    .map((column) => includablePart(resource, column))
    .filter((path) => path !== '' && !include.some((included) => `${included}.`.startsWith(`${path}.`)));
  return [...new Set(paths)];
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

type Search = (value: unknown) => unknown;

/** Compiles a JMESPath expression. Loads the library when it is called, because few commands need it. Throws a usage failure. */
export async function compileQuery(expression: string): Promise<(value: unknown) => unknown> {
  const { compile, registerFunction, TreeInterpreter, TYPE_ANY } = await import(
    '@jmespath-community/jmespath'
  );
  const attempt = <Value>(work: () => Value): Value => {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof Failure) throw cause;
      throw usage(`Invalid --query: ${cause instanceof Error ? cause.message : String(cause)}`, {
        hint: 'Write JMESPath, for example "[].name".',
        cause,
      });
    }
  };
  const compiled = attempt(() => compile(expression));
  attempt(() => refuseInexactLiterals(expression));
  const override = { override: true };
  registerFunction('to_number', ([value]) => toNumber(value), [{ types: [TYPE_ANY] }], override);
  // The library's type for JSON has no readonly arrays.
  const search = (value: unknown) => TreeInterpreter.search(compiled, value as never);
  const isNumeric = numericPattern.test(JSON.stringify(compiled));
  return (value) => attempt(() => searchExactly(search, value, isNumeric));
}

/** Matches the syntax tree of an expression that computes numbers. */
const numericPattern = /"type":"(Arithmetic|Unary)"|"name":"(abs|avg|ceil|floor|sum)"/;

/** Matches quoted text, and literals between backticks. */
const tokenPattern = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`((?:\\.|[^`\\])*)`/gs;

/** Refuses numbers of the expression that the library has rounded. */
function refuseInexactLiterals(expression: string): void {
  for (const [, literal] of expression.matchAll(tokenPattern)) {
    const value = literal === undefined ? null : parseExactJson(literal.replaceAll('\\`', '`'));
    mapLeaves(value, (leaf) => (leaf instanceof ExactNumber ? refuse(leaf) : leaf));
  }
}

/** Converts text as the function of JMESPath does: null for text that isn't a number. */
function toNumber(value: unknown): number | null {
  if (typeof value === 'string' && describeInexactness(value) !== undefined) refuse(value);
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && !Number.isNaN(number) ? number : null;
}

function refuse(number: unknown): never {
  throw usage(`--query can't compute exactly with ${String(number)}: it has too many digits.`, {
    hint: 'A query can select such numbers, and compare them with numbers that differ in the first 15 digits.',
  });
}

/**
 * Queries a value that may contain numbers with more digits than a double (see `base/number-text.ts`). The query runs
 * twice, with doubles below and above these numbers: if the result depends on their last digits, it differs.
 */
function searchExactly(search: Search, value: unknown, isNumeric: boolean): unknown {
  const plainNumbers = new Set<unknown>();
  const counts = new Map<number, number>();
  // The steps to the stand-ins: numbers with the same double are in another order below it than above it.
  const steps = new Map<string, number>();
  mapLeaves(value, (leaf) => {
    if (typeof leaf === 'number' && isUnsafeInteger(leaf)) plainNumbers.add(leaf);
    if (!(leaf instanceof ExactNumber) || steps.has(String(leaf))) return;
    const count = (counts.get(Number(leaf)) ?? 0) + 1;
    counts.set(Number(leaf), count);
    steps.set(String(leaf), count);
  });
  const replaceExact = (replace: (number: ExactNumber) => unknown) =>
    mapLeaves(value, (leaf) => (leaf instanceof ExactNumber ? replace(leaf) : leaf));
  const searchWith = (direction: number) => {
    const numbers = new Map<unknown, ExactNumber>();
    const input = replaceExact((number) => {
      const double = neighborOf(Number(number), direction * (steps.get(String(number)) ?? 0));
      numbers.set(double, number);
      return double;
    });
    return mapLeaves(search(input), (leaf) => {
      const isRounded = typeof leaf === 'number' && isUnsafeInteger(leaf);
      const number = numbers.get(leaf) ?? leaf;
      return isRounded && number === leaf && !plainNumbers.has(leaf) ? refuse(leaf) : number;
    });
  };
  const [exactNumber] = steps.keys();
  if (exactNumber === undefined) return searchWith(0);
  // A sum may hide the difference; text in place of the numbers can't be added.
  if (isNumeric && !succeeds(() => search(replaceExact(String)))) refuse(exactNumber);
  const [below, above] = [searchWith(-1), searchWith(1)];
  return JSON.stringify(below) === JSON.stringify(above) ? below : refuse(exactNumber);
}

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

function isUnsafeInteger(number: number): boolean {
  return Number.isInteger(number) && !Number.isSafeInteger(number);
}

/** Returns a finite double that is at least `count` doubles above a number, or below it. */
function neighborOf(number: number, count: number): number {
  const nearest = Math.max(-1e308, Math.min(number, 1e308));
  return nearest + count * Math.max(Math.abs(nearest) * Number.EPSILON, Number.MIN_VALUE);
}

function mapLeaves(value: unknown, transform: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, transform));
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return transform(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, mapLeaves(inner, transform)]),
  );
}
