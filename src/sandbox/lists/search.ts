/** Finds a page of a list: its rows, whether there is a next page, and the total. */
import type { Match } from '../../api/contract/filter.ts';
import { type FilteredTable, filterCondition, type RelationRows } from '../../api/sql/filters.ts';
import { identifier, joinSql, type Sql, sql, where } from '../../api/sql/sql.ts';
import type { Database, StoredRow } from '../../base/storage/database.ts';
import type { Variant } from '../business/settings.ts';
import { fold, toCell } from '../kinds.ts';
import { ruleOf } from '../rules/index.ts';
import { columnOf, relationOf, type Table } from '../store/tables.ts';
import type { FilterValues, ListQuery } from './query.ts';

export interface RowPage {
  rows: StoredRow[];
  hasNext: boolean;
  total: number;
}

export function searchPage(
  database: Database,
  table: Table,
  query: ListQuery,
  variant: Pick<Variant, 'wire.deleted_filter' | 'wire.listed'>,
): RowPage {
  const state = deletionStateOf(query, variant);
  const conditions = [
    ...stateConditions(table, state),
    ...query.filters.flatMap((filter) => conditionOf(table, filter) ?? []),
  ];
  const matches = sql`${identifier(table.name)} t${where(conditions)}`;
  const offset = (query.page - 1) * query.pageSize;
  // The page is found first, so that SQLite can skip rows in an index.
  const rows = read(
    database,
    sql`SELECT t.* FROM (SELECT t.seq FROM ${matches} ORDER BY ${orderOf(query, state)} LIMIT ${query.pageSize} OFFSET ${offset}) m
        CROSS JOIN ${identifier(table.name)} t ON t.seq = m.seq`,
  );
  const isLastPage = rows.length < query.pageSize && (rows.length > 0 || offset === 0);
  const total = isLastPage
    ? offset + rows.length
    : Number(read(database, sql`SELECT count(*) AS total FROM ${matches}`)[0]?.total);
  return { rows, hasNext: offset + rows.length < total, total };
}

function read(database: Database, query: Sql): StoredRow[] {
  return database.all(query.textFor('sqlite'), ...query.values);
}

/** The deletion state of the records that a list returns. */
type DeletionState = 'active' | 'deleted' | 'any';

/**
 * Returns the state of the records to list: active, unless `is_deleted` is sent (API document, conventions, 7: "to include
 * deleted records"; other deployments return only deleted records), or a filter is on the day of deletion. Some deployments
 * list deleted records too unless `is_deleted` is false.
 */
function deletionStateOf(
  { filters }: ListQuery,
  variant: Pick<Variant, 'wire.deleted_filter' | 'wire.listed'>,
): DeletionState {
  const requestedValue = filters.find(({ filter }) => filter.match === 'deleted')?.values[0];
  if (requestedValue !== undefined)
    return requestedValue !== true ? 'active' : variant['wire.deleted_filter'] === 'only' ? 'deleted' : 'any';
  if (filters.some(({ filter }) => filter.on === 'deleted_at')) return 'deleted';
  return variant['wire.listed'] === 'all' ? 'any' : 'active';
}

function stateConditions({ isSoftDeleted }: Table, state: DeletionState): Sql[] {
  if (!isSoftDeleted || state === 'any') return [];
  return [state === 'deleted' ? sql`t.deleted_at IS NOT NULL` : sql`t.deleted_at IS NULL`];
}

const rangeMatches: readonly Match[] = ['after', 'before', 'on_day'];

/**
 * Returns the requested order. Without one, it is the order of the timestamp that a filter bounds, or of deletion, or of
 * creation. Equal records are ordered by creation.
 */
function orderOf({ sort, filters }: ListQuery, state: DeletionState): Sql {
  const rangeField = filters.find(({ filter }) => rangeMatches.includes(filter.match))?.filter.on;
  const defaultField = rangeField ?? (state === 'deleted' ? 'deleted_at' : undefined);
  const defaultSort = defaultField === undefined ? [] : [{ fieldName: defaultField, isDescending: false }];
  const sorts = sort.length > 0 ? sort : defaultSort;
  // With a sign, SQLite finds several values in an index and sorts the rows, instead of checking all rows in order.
  if (sorts.length === 0 && filters.some(({ values }) => values.length > 1)) return sql`+t.seq`;
  const terms = [...sorts, { fieldName: 'seq', isDescending: sorts[0]?.isDescending ?? false }];
  const termSql = terms.map(({ fieldName, isDescending }) =>
    isDescending ? sql`${identifier('t', fieldName)} DESC` : identifier('t', fieldName),
  );
  return joinSql(termSql, ', ');
}

function conditionOf(table: Table, { filter, values }: FilterValues): Sql | undefined {
  if (filter.match === 'unknown') return ruleOf(table.name).filters?.[filter.name]?.(values[0] ?? '');
  const cells = values.map((value) => toCell(filter.value, value));
  return filter.match === 'deleted' ? undefined : filterCondition(filteredTable(table), filter, cells);
}

function filteredTable(table: Table): FilteredTable {
  return {
    id: sql`t.id`,
    column: (field) => {
      const column = columnOf(table, field);
      return column && identifier('t', column.name);
    },
    relation: (path) => relationRows(table, path.split('.')),
    contains: (column, text) => sql`instr(fold(${column}), ${fold(text)}) > 0`,
  };
}

/** Returns the rows of a relation, without deleted records, because responses don't contain them. */
function relationRows(table: Table, [fieldName = '', ...nestedPath]: string[]): RelationRows | undefined {
  const relation = relationOf(table, fieldName);
  if (!relation) return undefined;
  const { target } = relation;
  const [link, other] = [`l${nestedPath.length}`, `o${nestedPath.length}`];
  const relatedId = identifier(other, 'id');
  const targetTable = sql`${identifier(target.name)} ${identifier(other)}`;
  const activeConditions = target.isSoftDeleted ? [sql`${identifier(other, 'deleted_at')} IS NULL`] : [];
  const rows: RelationRows =
    relation.kind === 'links'
      ? {
          from: sql`${identifier(relation.table.name)} ${identifier(link)}, ${targetTable}`,
          recordId: identifier(link, relation.recordColumn),
          relatedId,
          conditions: [sql`${identifier(link, relation.targetColumn)} = ${relatedId}`, ...activeConditions],
        }
      : {
          from: targetTable,
          recordId: identifier(other, relation.column),
          relatedId,
          conditions: activeConditions,
        };
  const nested = nestedPath.length === 0 ? undefined : relationRows(target, nestedPath);
  if (!nested) return rows;
  return {
    from: sql`${rows.from}, ${nested.from}`,
    recordId: rows.recordId,
    relatedId: nested.relatedId,
    conditions: [...rows.conditions, sql`${nested.recordId} = ${relatedId}`, ...nested.conditions],
  };
}
