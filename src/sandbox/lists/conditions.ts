/** Filters as conditions in SQL; `t` is the table of the list. */

import { quoted } from '../../storage/quoted.ts';
import { dayLength, readMoment, writeMoment } from '../calendar.ts';
import { ruleOf } from '../rules/index.ts';
import type { Cell } from '../store/cells.ts';
import { toCell } from '../store/cells.ts';
import { isActive, isAny } from '../store/schema.ts';
import type { Column, Relation, Table } from '../store/tables.ts';
import { columnOf, relationOf } from '../store/tables.ts';
import type { Variant } from '../variant.ts';
import { type Arm, anyLinkArm, linkArm, ownArm, textArm } from './arms.ts';
import type { AskedFilter, ListQuery } from './query.ts';

export interface Condition {
  sql: string;
  cells: readonly Cell[];
  /** By which its matches are found sooner than by looking at one record after another. */
  arms?: readonly Arm[] | undefined;
  /** Whether all that the arms find matches; else the condition has still to be seen to. */
  isSure?: boolean;
  /** The end that it sets to a range of a field. */
  end?: { fieldName: string; isLower: boolean };
}

/** More values than this are looked for in one record after another. */
const mostArms = 20;

/** What a list asks of its records, but for whether they are deleted. */
export function conditionsOf(table: Table, { filters }: Pick<ListQuery, 'filters'>): Condition[] {
  return filters.flatMap((asked) => conditionOf(table, asked));
}

/** Which records a list shows. */
export type State = 'active' | 'deleted' | 'any';

/**
 * Active records, unless `is_deleted` is given (document, conventions, 7: "to include deleted records"; other
 * deployments answer them alone), or they are asked for by the day of their deletion.
 */
export function wantedState(
  { filters }: Pick<ListQuery, 'filters'>,
  deletedFilter: Variant['wire.deleted_filter'],
): State {
  const asked = filters.find(({ filter }) => filter.match === 'deleted')?.values[0];
  if (asked !== undefined) return asked !== true ? 'active' : deletedFilter === 'only' ? 'deleted' : 'any';
  return filters.some(({ filter }) => filter.on === 'deleted_at') ? 'deleted' : 'active';
}

/** In the order that moments have in an index. */
export function stateCondition({ isSoftDeleted }: Table, wanted: State): Condition[] {
  if (!isSoftDeleted || wanted === 'any') return [];
  return [{ sql: `t.deleted_at IS ${wanted === 'deleted' ? 'NOT ' : ''}NULL`, cells: [] }];
}

/** Behind an equality, in the order of creation: those of each state, one after the other. */
export function stateArms(table: Table, arm: Arm, wanted: State): Arm[] {
  if (!table.isSoftDeleted || arm.source) return [arm];
  const states = { active: [1], deleted: [0], any: [1, 0] }[wanted];
  return states.map((state) => ({ ...arm, sql: `${arm.sql} AND ${isActive('t.')} = ${state}` }));
}

function conditionOf(table: Table, asked: AskedFilter): Condition[] {
  const { on = '', match } = asked.filter;
  if (match === 'deleted') return [];
  const [value = ''] = asked.values;
  const own = match === 'unknown' ? ruleOf(table.name).filters?.[asked.filter.name]?.(value) : undefined;
  if (own?.isIndexed) return [{ ...own, arms: [ownArm(own.sql, own.cells)], isSure: true }];
  if (match === 'unknown') return own ? [own] : [];
  const column = columnOf(table, on);
  return column ? columnConditions(table, column, asked) : [relationCondition(table, on.split('.'), asked)];
}

function columnConditions(table: Table, column: Column, { filter, values }: AskedFilter): Condition[] {
  const name = `t.${quoted(column.name)}`;
  const end = (operator: string, cell: Cell): Condition => ({
    sql: `${name} ${operator} ?`,
    cells: [cell],
    end: { fieldName: column.fieldName, isLower: operator.startsWith('>') },
  });
  const [value] = values;
  const text = String(value);
  switch (filter.match) {
    case 'contains': {
      const arm = textArm(table, column, text);
      return [{ sql: `instr(fold(${name}), fold(?)) > 0`, cells: [text], arms: arm && [arm] }];
    }
    case 'after':
      return [end('>', text)];
    case 'before':
      return [end('<', text)];
    case 'on_day': {
      const start = readMoment(text);
      return [end('>=', writeMoment(start)), end('<', writeMoment(start + dayLength))];
    }
    case 'any':
      return [oneOf(isAny(name), [value === true ? 1 : 0])];
    default: {
      const cells = values.map((one) => toCell(filter.value, one));
      return [oneOf(name, cells)];
    }
  }
}

function oneOf(name: string, cells: readonly Cell[]): Condition {
  const condition = { sql: `${name} IN (${marks(cells)})`, cells };
  if (cells.length > mostArms) return condition;
  return { ...condition, arms: cells.map((cell) => ownArm(`${name} = ?`, [cell])), isSure: true };
}

/**
 * Whether a relation, or a relation of related records, leads to any of the ids; or, asked so, to anything at
 * all. Deleted records count as little as answers show them.
 */
function relationCondition(
  table: Table,
  path: readonly string[],
  { filter, values }: AskedFilter,
): Condition {
  const asksForAny = filter.match === 'any';
  const { sources, links, far } = chain(table, path, 't.id');
  const all = asksForAny ? links : [...links, `${far} IN (${marks(values)})`];
  const isWanted = !asksForAny || values[0] === true;
  const relation = path.length === 1 ? relationOf(table, path[0] ?? '') : undefined;
  return {
    sql: `${isWanted ? '' : 'NOT '}EXISTS (SELECT 1 FROM ${sources.join(' CROSS JOIN ')} WHERE ${all.join(' AND ')})`,
    cells: asksForAny ? [] : values.map(String),
    arms: isWanted && relation ? relationArms(relation, asksForAny ? undefined : values) : undefined,
    isSure: true,
  };
}

function relationArms(
  relation: Relation,
  values: readonly (string | number | boolean)[] | undefined,
): Arm[] | undefined {
  if (relation.kind !== 'links') return undefined;
  if (values === undefined) return relation.near === 'from_id' ? [anyLinkArm(relation)] : undefined;
  return values.length > mostArms ? undefined : values.map((id) => linkArm(relation, String(id)));
}

interface Chain {
  sources: string[];
  links: string[];
  /** The id at its end. */
  far: string;
}

/** The tables of a path of relations and what holds them together, from an id on. */
function chain(table: Table, path: readonly string[], near: string): Chain {
  const [fieldName = '', ...rest] = path;
  const relation = relationOf(table, fieldName);
  if (!relation) throw new Error(`${table.name} has no relation ${fieldName} to filter by`);
  const { target } = relation;
  const [link, other] = [`l${rest.length}`, `o${rest.length}`];
  const active = target.isSoftDeleted ? [`${other}.deleted_at IS NULL`] : [];
  const isLinked = relation.kind === 'links';
  const own: Chain = {
    sources: [
      ...(isLinked ? [`${quoted(relation.table.name)} ${link}`] : []),
      `${quoted(target.name)} ${other}`,
    ],
    links: isLinked
      ? [`${link}.${relation.near} = ${near}`, `${other}.id = ${link}.${relation.far}`, ...active]
      : [`${other}.${quoted(relation.column)} = ${near}`, ...active],
    far: `${other}.id`,
  };
  if (rest.length === 0) return own;
  const next = chain(target, rest, own.far);
  return { sources: [...own.sources, ...next.sources], links: [...own.links, ...next.links], far: next.far };
}

function marks(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
