/** The API’s own filters as conditions on a mirror’s tables. */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Field } from '../../contract/field.ts';
import type { Filter } from '../../contract/filter.ts';
import { splitList } from '../../contract/list-text.ts';
import { isDate } from '../../contract/moment.ts';
import { usage } from '../../errors.ts';
import { misfit, scalars, textCell } from '../schema/cell.ts';
import type { Child } from '../schema/children.ts';
import type { Mirrored } from '../schema/derive.ts';
import { type Cell, deletedColumn, idColumn } from '../schema/table.ts';
import type { Dialect } from '../stores/ddl.ts';
import { foldFunction } from '../stores/sqlite-form.ts';
import type { Tables } from '../stores/store.ts';
import { inverseOf, isInverseLeftOut } from './inverse.ts';

type Builder = ExpressionBuilder<Tables, string>;
type Condition = (builder: Builder) => Expression<SqlBool>;

/** Throws a usage failure that names every filter that a copy can’t answer, and every value that is none of its kind. */
export function conditionsFor(
  mirrored: Mirrored,
  filters: Readonly<Record<string, string>>,
  dialect: Dialect,
): Condition[] {
  const made: Condition[] = [];
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
  if (showsDeleted && !isOfDeleted) made.push((eb) => eb(deletedColumn, 'is', null));
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
): Condition | undefined {
  // Whether deleted ones are among them is said once, for all lists.
  if (match === 'deleted') return (eb) => eb.lit(true) as unknown as Expression<SqlBool>;
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
  const { name } = own;
  switch (match) {
    case 'equals':
      return (eb) => eb(name, 'in', [...cells]);
    case 'contains':
      return containing(name, String(value), dialect);
    case 'after':
      return (eb) => eb(name, '>', value);
    case 'before':
      return (eb) => eb(name, '<', value);
    case 'on_day':
      return (eb) => eb.and([eb(name, '>=', `${value} 00:00:00`), eb(name, '<=', `${value} 23:59:59`)]);
  }
}

/** Whatever the case of letters, as far as the engine knows them, and without characters that stand for others. */
function containing(name: string, text: string, dialect: Dialect): Condition {
  const [place, fold] = dialect === 'sqlite' ? ['instr', foldFunction] : ['strpos', 'lower'];
  return (eb) => eb(eb.fn(place, [eb.fn(fold, [name]), eb.fn(fold, [eb.val(text)])]), '>', 0);
}

function anyCondition(
  mirrored: Mirrored,
  own: string | undefined,
  child: Child | undefined,
  isThere: boolean,
): Condition | undefined {
  if (child) {
    const owner = child.table.owner ?? idColumn;
    return (eb) => {
      const owners = eb.selectFrom(child.table.name).select(owner);
      return eb(`${mirrored.main.name}.${idColumn}`, isThere ? 'in' : 'not in', owners);
    };
  }
  if (own === undefined) return undefined;
  return (eb) => (isThere ? eb(own, '>', 0) : eb.or([eb(own, 'is', null), eb(own, '=', 0)]));
}

/** A link that the other side’s table holds. */
function inverseCondition(
  { main, resource }: Mirrored,
  field: Field | undefined,
  ids: readonly string[],
): Condition | undefined {
  const inverse = inverseOf(resource, field);
  if (!inverse) return undefined;
  const { table, other, own } = inverse;
  return (eb) =>
    eb(
      `${main.name}.${idColumn}`,
      'in',
      eb
        .selectFrom(table.name)
        .select(own)
        .where(other, 'in', [...ids]),
    );
}

function linkCondition({ main }: Mirrored, { table }: Child, ids: readonly string[]): Condition | undefined {
  const { owner, far } = table;
  if (owner === undefined || far === undefined) return undefined;
  return (eb) =>
    eb(
      `${main.name}.${idColumn}`,
      'in',
      eb
        .selectFrom(table.name)
        .select(owner)
        .where(far, 'in', [...ids]),
    );
}
