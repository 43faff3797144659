/** The API’s own filters as conditions on a mirror’s tables. */
import { usage } from '../../base/errors.ts';
import type { Field } from '../../contract/field.ts';
import type { Filter } from '../../contract/filter.ts';
import { splitList } from '../../contract/list-text.ts';
import { isDate } from '../../contract/moment.ts';
import { misfit, scalars, textCell } from '../schema/cell.ts';
import type { Child } from '../schema/children.ts';
import type { Mirrored } from '../schema/derive.ts';
import { type Cell, deletedColumn, idColumn, type Table } from '../schema/table.ts';
import type { Dialect } from '../stores/ddl.ts';
import { name as named, Sql, sql } from '../stores/sql.ts';
import { foldFunction } from '../stores/sqlite-form.ts';
import { inverseOf, isInverseLeftOut } from './inverse.ts';

/** Throws a usage failure that names every filter that a copy can’t answer, and every value that is none of its kind. */
export function conditionsFor(
  mirrored: Mirrored,
  filters: Readonly<Record<string, string>>,
  dialect: Dialect,
): Sql[] {
  const made: Sql[] = [];
  const wrong: string[] = [];
  const misfits: string[] = [];
  const leftOut: string[] = [];
  let isOfDeleted = false;
  for (const [name, value] of Object.entries(filters)) {
    const filter = mirrored.resource.filters.find((each) => each.name === name);
    if (filter?.on !== undefined && isLeftOut(mirrored, filter.on)) {
      leftOut.push(name);
      continue;
    }
    const cells = filter && cellsOf(filter, value);
    if (cells === misfit) {
      misfits.push(`${name}=${value}`);
      continue;
    }
    const condition = filter && cells && conditionFor(mirrored, filter, cells, dialect);
    if (condition) made.push(condition);
    else wrong.push(name);
    if (filter?.match === 'deleted' && cells?.[0] === 1) isOfDeleted = true;
    // Whoever asks when records were deleted means deleted ones.
    if (filter?.on === deletedColumn) isOfDeleted = true;
  }
  if (leftOut.length > 0) {
    throw usage(`A copy can’t answer the filter ${leftOut.join(' or ')}: it leaves out what that is about.`, {
      hint: 'Ask the account: leave --mirror out.',
    });
  }
  if (misfits.length > 0) {
    throw usage(`A filter can’t have this value: ${misfits.join(', ')}.`, {
      hint: 'Moments are written YYYY-MM-DD HH:MM:SS, days YYYY-MM-DD, codes as numbers. Flags such as --updated-after take more.',
    });
  }
  if (wrong.length > 0) {
    throw usage(
      `A copy can’t answer the filter ${wrong.join(' or ')}: the document doesn’t say what it means.`,
      {
        hint: 'Ask the account: leave --mirror out.',
      },
    );
  }
  const showsDeleted = mirrored.main.columns.some(({ name }) => name === deletedColumn);
  if (showsDeleted && !isOfDeleted) made.push(sql`${named(deletedColumn)} IS NULL`);
  return made;
}

/** What the other side’s table holds may be left out there. */
function isLeftOut({ resource, leavesOut }: Mirrored, field: string): boolean {
  return leavesOut(resource.name, field) || isInverseLeftOut(resource.fields[field], leavesOut);
}

/** As they stand in columns: several where any of them will do. */
function cellsOf({ match, value: { kind } }: Filter, value: string): Cell[] | typeof misfit {
  const isOne = match === 'contains' || match === 'after' || match === 'before' || match === 'on_day';
  const cells: Cell[] = [];
  for (const each of isOne || kind === 'boolean' ? [value] : splitList(value)) {
    const cell = kind === 'date' && !isDate(each) ? misfit : (scalars[kind]?.convert ?? textCell)(each);
    if (cell === misfit) return misfit;
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
  // Whether deleted ones are among them is said once, for all lists.
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
      return containing(column, String(value), dialect);
    case 'after':
      return sql`${column} > ${value}`;
    case 'before':
      return sql`${column} < ${value}`;
    case 'on_day':
      return sql`${column} BETWEEN ${`${value} 00:00:00`} AND ${`${value} 23:59:59`}`;
  }
}

/** Whatever the case of letters, as far as the engine knows them, and without characters that stand for others. */
function containing(column: Sql, text: string, dialect: Dialect): Sql {
  if (dialect === 'postgres') return sql`strpos(lower(${column}), lower(${text})) > 0`;
  const fold = new Sql([foldFunction]);
  return sql`instr(${fold}(${column}), ${fold}(${text})) > 0`;
}

function anyCondition(
  mirrored: Mirrored,
  own: string | undefined,
  child: Child | undefined,
  isThere: boolean,
): Sql | undefined {
  if (child) {
    const owners = sql`(SELECT ${named(child.table.owner ?? idColumn)} FROM ${named(child.table.name)})`;
    return isThere ? sql`${idOf(mirrored)} IN ${owners}` : sql`${idOf(mirrored)} NOT IN ${owners}`;
  }
  if (own === undefined) return undefined;
  const column = named(own);
  return isThere ? sql`${column} > 0` : sql`(${column} IS NULL OR ${column} = 0)`;
}

/** A link that the other side’s table holds. */
function inverseCondition(
  mirrored: Mirrored,
  field: Field | undefined,
  ids: readonly string[],
): Sql | undefined {
  const inverse = inverseOf(mirrored.resource, field);
  return inverse && linked(mirrored, inverse.table, inverse.own, inverse.other, ids);
}

function linkCondition(mirrored: Mirrored, { table }: Child, ids: readonly string[]): Sql | undefined {
  const { owner, far } = table;
  return owner === undefined || far === undefined ? undefined : linked(mirrored, table, owner, far, ids);
}

/** Records whose id stands in the column `own` of a table, in a row whose column `other` holds one of the ids. */
function linked(mirrored: Mirrored, table: Table, own: string, other: string, ids: readonly string[]): Sql {
  return sql`${idOf(mirrored)} IN
    (SELECT ${named(own)} FROM ${named(table.name)} WHERE ${named(other)} IN ${ids})`;
}

function idOf({ main }: Mirrored): Sql {
  return named(main.name, idColumn);
}
