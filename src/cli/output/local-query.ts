/** Sorts and filters lists by columns that the service can't sort or filter by: over all rows of the list. */

import type { Row } from '../../account/client/shape.ts';
import type { ListRange, ListReading } from '../../account/session/list.ts';
import type { Session } from '../../account/session/session.ts';
import { splitList } from '../../api/contract/comma-list.ts';
import { formatTimestamp, parseFilterTime } from '../../api/contract/date-time.ts';
import type { Field } from '../../api/contract/field.ts';
import { sortableFields } from '../../api/contract/include.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { parseValue } from '../../api/contract/value-text.ts';
import { compareStrings } from '../../base/compare-strings.ts';
import { violations } from '../../base/errors.ts';
import { foldText } from '../../base/fold-text.ts';
import { boh } from '../../base/hint.ts';
import { toNumber } from '../../base/number-text.ts';
import { valueAt } from '../terminal/value-at.ts';
import { columnNames, fieldAt, unknownColumns } from './columns.ts';

/** The filters and the order that boh applies itself. */
export interface LocalQuery {
  /** The columns that it reads. */
  columns: readonly string[];
  /** Whether it changes the order. */
  sorts: boolean;
  /** What it does, for a note: "filters by order_count > 5 and sorts by -order_count". */
  description: string;
  apply(rows: readonly Row[]): Row[];
}

export interface LocalFlags {
  sort?: string | undefined;
  /** Conditions such as `order_count > 5`. A row must meet all. */
  whereLocal?: readonly string[] | undefined;
}

/** A condition that isn't in `--where-local`: its column, its text and its function. */
export interface LocalCondition {
  column: string;
  text: string;
  matches(row: Row): boolean;
}

/** Matches a condition: a column, an operator and a value. */
const conditionPattern = /^\s*([\w.-]+)\s*(>=|<=|!=|=|>|<|~)\s*(.*?)\s*$/s;

type Operator = '>=' | '<=' | '!=' | '=' | '>' | '<' | '~';

/**
 * Returns the conditions, and the order if the service can't sort by all of its columns; undefined if there are neither.
 * With `unchecked`, the service gets the order in any case. Throws `usage` for columns that don't exist.
 */
export function parseLocalQuery(
  resource: Resource,
  { sort = '', whereLocal = [] }: LocalFlags,
  now: Date,
  unchecked: boolean,
  given: readonly LocalCondition[] = [],
): LocalQuery | undefined {
  const documented = columnNames(resource);
  const sortKeys = splitList(sort);
  const sortable = sortableFields(resource);
  const sorts = !unchecked && sortKeys.some((key) => !sortable.includes(columnOf(key)));
  const conditions = [
    ...given.map((condition) => ({ ...condition, problem: undefined })),
    ...whereLocal.map((text) => ({ text, ...parseCondition(resource, text, now) })),
  ];
  const columns = [
    ...conditions.flatMap(({ column }) => column ?? []),
    ...(sorts ? sortKeys.map(columnOf) : []),
  ];
  const unknown = unchecked ? [] : columns.filter((column) => !documented.includes(column));
  if (unknown.length > 0) throw unknownColumns(resource, unknown);
  const problems = conditions.flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) {
    const command = `${resource.command} list`;
    throw violations(`input for ${command}`, { 'where-local': problems }, boh.help(command));
  }
  if (columns.length === 0) return undefined;
  const compare = sorts ? createComparison(resource, sortKeys) : undefined;
  const steps = [
    ...(conditions.length > 0
      ? [`filters by ${conditions.map(({ text }) => text.trim()).join(' and ')}`]
      : []),
    ...(sorts ? [`sorts by ${sortKeys.join(', ')}`] : []),
  ];
  return {
    columns,
    sorts,
    description: steps.join(' and '),
    apply: (rows) => {
      const kept = rows.filter((row) => conditions.every(({ matches }) => matches?.(row)));
      return compare ? kept.sort(compare) : kept;
    },
  };
}

/** Returns the query that a text in a picker is: `order_count > 5` or `sort:-order_count`; undefined for other text. */
export function localQueryIn(resource: Resource, text: string, now: Date): LocalQuery | undefined {
  const [, sort] = /^\s*sort:\s*(.+)$/.exec(text) ?? [];
  const flags = sort === undefined ? { whereLocal: [text] } : { sort };
  const names = sort === undefined ? [conditionPattern.exec(text)?.[1] ?? ''] : splitList(sort);
  const documented = columnNames(resource);
  if (names.length === 0 || !names.every((name) => documented.includes(columnOf(name)))) return undefined;
  if (sort !== undefined) {
    const compare = createComparison(resource, names);
    return { columns: names, sorts: true, description: text, apply: (rows) => [...rows].sort(compare) };
  }
  return parseCondition(resource, text, now).matches && parseLocalQuery(resource, flags, now, false);
}

/** Returns a session whose lists are filtered and sorted. Each list is read completely before its first row. */
export function withLocalQuery(session: Pick<Session, 'list'>, local: LocalQuery): Pick<Session, 'list'> {
  return {
    list: (call, range) =>
      applyLocalQuery(
        session.list(call, { ...range, limit: undefined, isFirstPageOnly: false, readsAll: true }),
        local,
        range,
      ),
  };
}

export function applyLocalQuery(
  list: ListReading,
  { apply }: LocalQuery,
  { limit = Number.POSITIVE_INFINITY }: ListRange = {},
): ListReading {
  let [count, total] = [0, 0];
  async function* batches() {
    const rows = apply(await Array.fromAsync(list.rows()));
    const shown = rows.slice(0, limit);
    [count, total] = [shown.length, rows.length];
    yield shown;
  }
  return {
    batches,
    async *pages() {
      for await (const rows of batches()) yield { number: 1, rows, body: '' };
    },
    async *rows() {
      for await (const rows of batches()) yield* rows;
    },
    summary: () => ({
      ...list.summary(),
      ...{ count, total, isLimited: count < total },
      hasMore: count < total ? 'yes' : 'no',
    }),
  };
}

function columnOf(sortKey: string): string {
  return sortKey.replace(/^-/, '').replaceAll('-', '_');
}

type Condition =
  | { column: string; matches(row: Row): boolean; problem?: undefined }
  | { column?: string; matches?: undefined; problem: string };

function parseCondition(resource: Resource, text: string, now: Date): Condition {
  const [, name, operator, written = ''] = conditionPattern.exec(text) ?? [];
  if (name === undefined || operator === undefined)
    return { problem: `"${text}" isn't a condition such as "name ~ rice" (operators: = != > >= < <= ~)` };
  const column = name.replaceAll('-', '_');
  const field = fieldAt(resource, column);
  const isPart = operator === '~';
  const { value, problem } = isPart || written === '' ? { value: written } : wantedValue(field, written, now);
  if (problem !== undefined) return { column, problem: `${column} ${problem}` };
  if (written === '' && operator !== '=' && operator !== '!=')
    return { column, problem: `"${text}" has no value` };
  const isMet = (found: unknown) => meets(found, operator as Operator, value, field);
  return {
    column,
    matches: (row) => {
      const found = valueAt(row, column);
      const values = Array.isArray(found) && found.length > 0 ? found : [Array.isArray(found) ? null : found];
      return operator === '!=' ? values.every(isMet) : values.some(isMet);
    },
  };
}

/** Converts the value of a condition: words become numbers, and times UTC. */
function wantedValue(
  field: Field | undefined,
  text: string,
  now: Date,
): { value: unknown; problem?: undefined } | { value?: undefined; problem: string } {
  if (field?.kind === 'timestamp' || field?.kind === 'date') {
    const time = parseFilterTime(text, now);
    if (!time) return { problem: 'must be a time such as 2026-11-20 or 7d for 7 days ago' };
    return { value: formatTimestamp(time).slice(0, field.kind === 'date' ? 10 : undefined) };
  }
  if (field?.kind === 'boolean') {
    const isYes = /^(yes|true|1)$/i.test(text);
    return isYes || /^(no|false|0)$/i.test(text) ? { value: isYes } : { problem: 'must be yes or no' };
  }
  if (!field || !isComparedAsNumber(field)) return { value: text };
  const parsed = field.kind === 'integers' ? undefined : parseValue(field, text);
  return parsed?.problem === undefined ? { value: parsed?.value ?? text } : { problem: parsed.problem };
}

function isComparedAsNumber({ kind, traits }: Field): boolean {
  return (
    ['integer', 'decimal', 'numeric_text', 'choice', 'hour'].includes(kind) || traits.words !== undefined
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

function meets(found: unknown, operator: Operator, wanted: unknown, field: Field | undefined): boolean {
  if (operator === '~') return textOf(found).includes(foldText(String(wanted)));
  if (isEmpty(found) || wanted === '') return (operator === '!=') !== (isEmpty(found) && wanted === '');
  const order = compareValues(field?.kind === 'boolean' ? Number(found) : found, wanted, field);
  const outcomes = {
    ...{ '=': order === 0, '!=': order !== 0, '>': order > 0 },
    ...{ '>=': order >= 0, '<': order < 0, '<=': order <= 0 },
  };
  return outcomes[operator];
}

function textOf(value: unknown): string {
  const related = value as { name?: unknown } | null;
  return foldText(String(typeof value === 'object' && related ? (related.name ?? '') : (value ?? '')));
}

function compareValues(a: unknown, b: unknown, field: Field | undefined): number {
  const isText = field !== undefined && !isComparedAsNumber(field) && field.kind !== 'boolean';
  const [first, second] = [a, b].map((value) =>
    isText ? undefined : toNumber(value === true ? 1 : value === false ? 0 : value),
  );
  return first !== undefined && second !== undefined ? first - second : compareStrings(textOf(a), textOf(b));
}

/** Returns the order of rows by several columns. Rows without a value come last. */
function createComparison(resource: Resource, sortKeys: readonly string[]): (a: Row, b: Row) => number {
  const keys = sortKeys.map((key) => ({
    column: columnOf(key),
    field: fieldAt(resource, columnOf(key)),
    direction: key.startsWith('-') ? -1 : 1,
  }));
  return (a, b) => {
    for (const { column, field, direction } of keys) {
      const [first, second] = [a, b].map((row) => [valueAt(row, column)].flat()[0]);
      const order =
        isEmpty(first) || isEmpty(second)
          ? Number(isEmpty(first)) - Number(isEmpty(second))
          : direction * compareValues(first, second, field);
      if (order !== 0) return order;
    }
    return 0;
  };
}
