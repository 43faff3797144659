/** Converts the API's own filters to conditions on a mirror's tables. */
import { usage } from '../../base/errors.ts';
import { splitList } from '../../contract/comma-list.ts';
import { isDate } from '../../contract/date-time.ts';
import type { Field } from '../../contract/field.ts';
import type { Filter } from '../../contract/filter.ts';
import { mismatch, scalars, textCell } from '../schema/cell.ts';
import type { ChildTable } from '../schema/children.ts';
import type { MirroredResource } from '../schema/derive.ts';
import { type Cell, deletedColumn, idColumn, type Table } from '../schema/table.ts';
import type { Dialect } from '../stores/ddl.ts';
import { identifier, Sql, sql } from '../stores/sql.ts';
import { foldFunction } from '../stores/sqlite-format.ts';
import { inverseOf, isInverseExcluded } from './inverse.ts';

/**
 * Returns the conditions for a list. Throws a usage failure that lists every filter that the mirror doesn't support, or
 * every invalid value.
 */
export function conditionsFor(
  mirrored: MirroredResource,
  filters: Readonly<Record<string, string>>,
  dialect: Dialect,
): Sql[] {
  const conditions: Sql[] = [];
  const unsupportedFilters: string[] = [];
  const invalidFilters: string[] = [];
  const excludedFilters: string[] = [];
  let selectsDeleted = false;
  for (const [name, value] of Object.entries(filters)) {
    const filter = mirrored.resource.filters.find((candidate) => candidate.name === name);
    if (filter?.on !== undefined && isExcludedFilter(mirrored, filter.on)) {
      excludedFilters.push(name);
      continue;
    }
    const cells = filter && parseFilterValue(filter, value);
    if (cells === mismatch) {
      invalidFilters.push(`${name}=${value}`);
      continue;
    }
    const condition = filter && cells && conditionFor(mirrored, filter, cells, dialect);
    if (condition) conditions.push(condition);
    else unsupportedFilters.push(name);
    if (filter?.match === 'deleted' && cells?.[0] === 1) selectsDeleted = true;
    // A filter by time of deletion selects deleted records.
    if (filter?.on === deletedColumn) selectsDeleted = true;
  }
  if (excludedFilters.length > 0) {
    throw usage(`The mirror can't filter by ${excludedFilters.join(' or ')}, which is excluded from it.`, {
      hint: 'To read from the account: omit --mirror.',
    });
  }
  if (invalidFilters.length > 0) {
    throw usage(`Invalid filter values: ${invalidFilters.join(', ')}.`, {
      hint: 'Write timestamps as YYYY-MM-DD HH:MM:SS, dates as YYYY-MM-DD and codes as numbers. Flags such as --updated-after accept more formats.',
    });
  }
  if (unsupportedFilters.length > 0) {
    throw usage(
      `The mirror can't filter by ${unsupportedFilters.join(' or ')}: the API document doesn't define that filter.`,
      {
        hint: 'To read from the account: omit --mirror.',
      },
    );
  }
  const hasDeletedColumn = mirrored.main.columns.some(({ name }) => name === deletedColumn);
  if (hasDeletedColumn && !selectsDeleted) conditions.push(sql`${identifier(deletedColumn)} IS NULL`);
  return conditions;
}

/**
 * Returns whether the mirror excludes the data that a filter is about, in this resource or in the one that stores the
 * relation.
 */
function isExcludedFilter({ resource, excludes }: MirroredResource, field: string): boolean {
  return excludes(resource.name, field) || isInverseExcluded(resource.fields[field], excludes);
}

/** Parses a filter's value to cells, one of which must match; returns `mismatch` if a part is invalid. */
function parseFilterValue({ match, value: { kind } }: Filter, value: string): Cell[] | typeof mismatch {
  const isSingleValue = match === 'contains' || match === 'after' || match === 'before' || match === 'on_day';
  const cells: Cell[] = [];
  for (const part of isSingleValue || kind === 'boolean' ? [value] : splitList(value)) {
    const cell = kind === 'date' && !isDate(part) ? mismatch : (scalars[kind]?.convert ?? textCell)(part);
    if (cell === mismatch) return mismatch;
    cells.push(cell);
  }
  return cells;
}

function conditionFor(
  mirrored: MirroredResource,
  { on, match }: Filter,
  cells: readonly Cell[],
  dialect: Dialect,
): Sql | undefined {
  // The caller adds the condition on deleted records.
  if (match === 'deleted') return sql`TRUE`;
  if (on === undefined || match === 'unknown') return undefined;
  const { main, children, resource } = mirrored;
  const ids = cells.map(String);
  const [value = null] = cells;
  const inverse = inverseCondition(mirrored, resource.fields[on], ids);
  if (inverse && match === 'equals') return inverse;
  const mainColumn = main.columns.find(({ name }) => name === on || name === `${on}_id`);
  const child = children.find(({ table }) => table.name === `${main.name}_${on.replaceAll('.', '_')}`);
  if (match === 'any') return anyCondition(mirrored, mainColumn?.name, child, value === 1);
  if (!mainColumn) return child && match === 'equals' ? childLinkCondition(mirrored, child, ids) : undefined;
  const column = identifier(mainColumn.name);
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

/** Matches text without regard to case, as far as the engine supports the letters; `%` and `_` have no special meaning. */
function containsCondition(column: Sql, text: string, dialect: Dialect): Sql {
  if (dialect === 'postgres') return sql`strpos(lower(${column}), lower(${text})) > 0`;
  const fold = new Sql([foldFunction]);
  return sql`instr(${fold}(${column}), ${fold}(${text})) > 0`;
}

function anyCondition(
  mirrored: MirroredResource,
  mainColumn: string | undefined,
  child: ChildTable | undefined,
  mustExist: boolean,
): Sql | undefined {
  if (child) {
    const ownerIds = sql`(SELECT ${identifier(child.table.owner ?? idColumn)} FROM ${identifier(child.table.name)})`;
    return mustExist
      ? sql`${recordIdColumn(mirrored)} IN ${ownerIds}`
      : sql`${recordIdColumn(mirrored)} NOT IN ${ownerIds}`;
  }
  if (mainColumn === undefined) return undefined;
  const column = identifier(mainColumn);
  return mustExist ? sql`${column} > 0` : sql`(${column} IS NULL OR ${column} = 0)`;
}

/** Returns a condition on a link that the other resource's table stores. */
function inverseCondition(
  mirrored: MirroredResource,
  field: Field | undefined,
  ids: readonly string[],
): Sql | undefined {
  const inverse = inverseOf(mirrored.resource, field);
  return (
    inverse && linkTableCondition(mirrored, inverse.table, inverse.recordColumn, inverse.linkedColumn, ids)
  );
}

function childLinkCondition(
  mirrored: MirroredResource,
  { table }: ChildTable,
  ids: readonly string[],
): Sql | undefined {
  const { owner, linked } = table;
  return owner === undefined || linked === undefined
    ? undefined
    : linkTableCondition(mirrored, table, owner, linked, ids);
}

/** Matches records whose ID is in `recordColumn` of a table, in a row with one of the IDs in `linkedColumn`. */
function linkTableCondition(
  mirrored: MirroredResource,
  table: Table,
  recordColumn: string,
  linkedColumn: string,
  ids: readonly string[],
): Sql {
  return sql`${recordIdColumn(mirrored)} IN
    (SELECT ${identifier(recordColumn)} FROM ${identifier(table.name)} WHERE ${identifier(linkedColumn)} IN ${ids})`;
}

function recordIdColumn({ main }: MirroredResource): Sql {
  return identifier(main.name, idColumn);
}
