/** Converts the API's own filters to conditions on a mirror's tables. */
import { usage } from '../../base/errors.ts';
import { splitList } from '../../contract/comma-list.ts';
import { isDate } from '../../contract/date-time.ts';
import type { Field } from '../../contract/field.ts';
import type { Filter } from '../../contract/filter.ts';
import { mismatch, scalars, textCell } from '../schema/cell.ts';
import type { Child } from '../schema/children.ts';
import type { Mirrored } from '../schema/derive.ts';
import { type Cell, deletedColumn, idColumn, type Table } from '../schema/table.ts';
import type { Dialect } from '../stores/ddl.ts';
import { name as named, Sql, sql } from '../stores/sql.ts';
import { foldFunction } from '../stores/sqlite-format.ts';
import { inverseOf, isInverseExcluded } from './inverse.ts';

/**
 * Returns the conditions for a list. Throws a usage failure that names every filter that the mirror can't answer, and
 * every value of the wrong kind.
 */
export function conditionsFor(
  mirrored: Mirrored,
  filters: Readonly<Record<string, string>>,
  dialect: Dialect,
): Sql[] {
  const conditions: Sql[] = [];
  const unsupported: string[] = [];
  const invalid: string[] = [];
  const excluded: string[] = [];
  let showsOnlyDeleted = false;
  for (const [name, value] of Object.entries(filters)) {
    const filter = mirrored.resource.filters.find((each) => each.name === name);
    if (filter?.on !== undefined && isExcludedFilter(mirrored, filter.on)) {
      excluded.push(name);
      continue;
    }
    const cells = filter && cellsOf(filter, value);
    if (cells === mismatch) {
      invalid.push(`${name}=${value}`);
      continue;
    }
    const condition = filter && cells && conditionFor(mirrored, filter, cells, dialect);
    if (condition) conditions.push(condition);
    else unsupported.push(name);
    if (filter?.match === 'deleted' && cells?.[0] === 1) showsOnlyDeleted = true;
    // A filter by time of deletion asks for deleted records.
    if (filter?.on === deletedColumn) showsOnlyDeleted = true;
  }
  if (excluded.length > 0) {
    throw usage(`The mirror can't filter by ${excluded.join(' or ')}, which is excluded from it.`, {
      hint: 'To read from the account: omit --mirror.',
    });
  }
  if (invalid.length > 0) {
    throw usage(`Invalid filter values: ${invalid.join(', ')}.`, {
      hint: 'Write timestamps as YYYY-MM-DD HH:MM:SS, dates as YYYY-MM-DD and codes as numbers. Flags such as --updated-after accept more forms.',
    });
  }
  if (unsupported.length > 0) {
    throw usage(
      `The mirror can't filter by ${unsupported.join(' or ')}: the API document doesn't define that filter.`,
      {
        hint: 'To read from the account: omit --mirror.',
      },
    );
  }
  const showsDeleted = mirrored.main.columns.some(({ name }) => name === deletedColumn);
  if (showsDeleted && !showsOnlyDeleted) conditions.push(sql`${named(deletedColumn)} IS NULL`);
  return conditions;
}

/**
 * Returns whether the mirror excludes the data that a filter is about, in this resource or in the one that stores the
 * relation.
 */
function isExcludedFilter({ resource, excludes }: Mirrored, field: string): boolean {
  return excludes(resource.name, field) || isInverseExcluded(resource.fields[field], excludes);
}

/** Returns the filter's value as cells; several if any of them may match. */
function cellsOf({ match, value: { kind } }: Filter, value: string): Cell[] | typeof mismatch {
  const isSingle = match === 'contains' || match === 'after' || match === 'before' || match === 'on_day';
  const cells: Cell[] = [];
  for (const each of isSingle || kind === 'boolean' ? [value] : splitList(value)) {
    const cell = kind === 'date' && !isDate(each) ? mismatch : (scalars[kind]?.convert ?? textCell)(each);
    if (cell === mismatch) return mismatch;
    cells.push(cell);
  }
  return cells;
}

function conditionFor(
  mirrored: Mirrored,
  { on, match }: Filter,
  cells: readonly Cell[],
  dialect: Dialect,
): Sql | undefined {
  // Deleted records are handled once, for all lists.
  if (match === 'deleted') return sql`TRUE`;
  if (on === undefined || match === 'unknown') return undefined;
  const { main, children, resource } = mirrored;
  const ids = cells.map(String);
  const [value = null] = cells;
  const inverse = inverseCondition(mirrored, resource.fields[on], ids);
  if (inverse && match === 'equals') return inverse;
  const own = main.columns.find(({ name }) => name === on || name === `${on}_id`);
  const child = children.find(({ table }) => table.name === `${main.name}_${on.replaceAll('.', '_')}`);
  if (match === 'any') return anyCondition(mirrored, own?.name, child, value === 1);
  if (!own) return child && match === 'equals' ? linkCondition(mirrored, child, ids) : undefined;
  const column = named(own.name);
  switch (match) {
    case 'equals':
      return sql`${column} IN ${cells}`;
    case 'contains':
      return containsCondition(column, String(value), dialect);
    case 'after':
      return sql`${column} > ${value}`;
    case 'before':
      return sql`${column} < ${value}`;
    case 'on_day':
      return sql`${column} BETWEEN ${`${value} 00:00:00`} AND ${`${value} 23:59:59`}`;
  }
}

/** Compares without regard to case, as far as the engine knows letters; `%` and `_` have no special meaning. */
function containsCondition(column: Sql, text: string, dialect: Dialect): Sql {
  if (dialect === 'postgres') return sql`strpos(lower(${column}), lower(${text})) > 0`;
  const fold = new Sql([foldFunction]);
  return sql`instr(${fold}(${column}), ${fold}(${text})) > 0`;
}

function anyCondition(
  mirrored: Mirrored,
  own: string | undefined,
  child: Child | undefined,
  exists: boolean,
): Sql | undefined {
  if (child) {
    const owners = sql`(SELECT ${named(child.table.owner ?? idColumn)} FROM ${named(child.table.name)})`;
    return exists ? sql`${idOf(mirrored)} IN ${owners}` : sql`${idOf(mirrored)} NOT IN ${owners}`;
  }
  if (own === undefined) return undefined;
  const column = named(own);
  return exists ? sql`${column} > 0` : sql`(${column} IS NULL OR ${column} = 0)`;
}

/** Returns a condition on a link that the other resource's table stores. */
function inverseCondition(
  mirrored: Mirrored,
  field: Field | undefined,
  ids: readonly string[],
): Sql | undefined {
  const inverse = inverseOf(mirrored.resource, field);
  return inverse && linkedCondition(mirrored, inverse.table, inverse.own, inverse.other, ids);
}

function linkCondition(mirrored: Mirrored, { table }: Child, ids: readonly string[]): Sql | undefined {
  const { owner, linked } = table;
  return owner === undefined || linked === undefined
    ? undefined
    : linkedCondition(mirrored, table, owner, linked, ids);
}

/** Matches records whose ID is in the column `own` of a table, in a row whose column `other` has one of the IDs. */
function linkedCondition(
  mirrored: Mirrored,
  table: Table,
  own: string,
  other: string,
  ids: readonly string[],
): Sql {
  return sql`${idOf(mirrored)} IN
    (SELECT ${named(own)} FROM ${named(table.name)} WHERE ${named(other)} IN ${ids})`;
}

function idOf({ main }: Mirrored): Sql {
  return named(main.name, idColumn);
}
