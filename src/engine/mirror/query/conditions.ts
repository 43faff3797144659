/** Converts the API's own filters to conditions on a mirror's tables. */

import { apiOf } from '../../../api/contract/api.ts';
import { splitList } from '../../../api/contract/comma-list.ts';
import { isDate } from '../../../api/contract/date-time.ts';
import type { Field } from '../../../api/contract/field.ts';
import type { Filter } from '../../../api/contract/filter.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import {
  type FilteredTable,
  filterCondition,
  type RelationRows,
  relationStorage,
} from '../../../api/sql/filters.ts';
import { type Dialect, identifier, Sql, sql } from '../../../api/sql/sql.ts';
import { usage } from '../../../base/errors.ts';
import { mismatch, scalars, textCell } from '../schema/cell.ts';
import { type MirroredResource, mirroredResource } from '../schema/derive.ts';
import { type Cell, deletedColumn, idColumn, type Table } from '../schema/table.ts';
import { foldFunction } from '../stores/sqlite-format.ts';

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
  const table = filteredTable(mirrored, dialect);
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
    if (filter?.match === 'deleted') {
      if (cells?.[0] === 1) selectsDeleted = true;
      continue;
    }
    const condition = filter && cells && filterCondition(table, filter, cells);
    if (condition) conditions.push(condition);
    else unsupportedFilters.push(name);
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

function filteredTable({ resource, main, children }: MirroredResource, dialect: Dialect): FilteredTable {
  return {
    id: identifier(main.name, idColumn),
    column: (field) => {
      const column = main.columns.find(({ name }) => name === field || name === `${field}_id`);
      return column && identifier(column.name);
    },
    relation: (path) => {
      const inverse = inverseOf(resource, resource.fields[path]);
      if (inverse) return relationRows(inverse.table, inverse.recordColumn, inverse.linkedColumn);
      const name = `${main.name}_${path.replaceAll('.', '_')}`;
      const table = children.find((child) => child.table.name === name)?.table;
      return table?.owner && table.linked ? relationRows(table, table.owner, table.linked) : undefined;
    },
    contains: (column, text) => containsCondition(column, text, dialect),
  };
}

function relationRows({ name }: Table, recordColumn: string, relatedColumn: string): RelationRows {
  const [recordId, relatedId] = [identifier(recordColumn), identifier(relatedColumn)];
  return { from: identifier(name), recordId, relatedId, conditions: [] };
}

/** Matches text without regard to case, as far as the engine supports the letters; `%` and `_` have no special meaning. */
function containsCondition(column: Sql, text: string, dialect: Dialect): Sql {
  if (dialect === 'postgres') return sql`strpos(lower(${column}), lower(${text})) > 0`;
  const fold = new Sql([foldFunction]);
  return sql`instr(${fold}(${column}), ${fold}(${text})) > 0`;
}

/** The table and columns in which the other resource stores a relation. */
export interface InverseRelation {
  table: Table;
  /** The columns with the ID of this resource's record and of the other resource's record. */
  recordColumn: string;
  linkedColumn: string;
  /** The other resource, and its main table. */
  resource: Resource;
  main: Table;
}

/** Returns where a relation is stored; undefined if it has its own table, or refers to a resource that isn't mirrored. */
export function inverseOf(resource: Resource, field: Field | undefined): InverseRelation | undefined {
  const { inverseOf: name, target = '' } = field?.traits ?? {};
  const related = name === undefined ? undefined : apiOf(resource).resource(target);
  if (!field || !related?.list) return undefined;
  const { main, tables } = mirroredResource(related);
  const storage = relationStorage(apiOf(resource), resource.name, '', field);
  if (storage.kind === 'column')
    return { table: main, recordColumn: storage.column, linkedColumn: idColumn, resource: related, main };
  const table = tables.find((candidate) => candidate.name === storage.table);
  if (!table?.linked || !table.owner) return undefined;
  return { table, recordColumn: table.linked, linkedColumn: table.owner, resource: related, main };
}

export function isInverseExcluded(field: Field | undefined, excludes: MirroredResource['excludes']): boolean {
  const { inverseOf: name, target = '' } = field?.traits ?? {};
  return name !== undefined && excludes(target, name);
}
