/** Filters as conditions in SQL; `t` is the table of the list. */
import { dayLength, readMoment, writeMoment } from '../calendar.ts';
import { ruleOf } from '../rules/index.ts';
import type { Cell } from '../store/cells.ts';
import { toCell } from '../store/cells.ts';
import { quoted } from '../store/quoted.ts';
import type { Column, Table } from '../store/tables.ts';
import { columnOf, relationOf } from '../store/tables.ts';
import { textCandidates } from '../store/text-index.ts';
import type { Variant } from '../variant.ts';
import type { AskedFilter, ListQuery } from './query.ts';

export interface Condition {
  sql: string;
  cells: Cell[];
  lead?: Lead | undefined;
}

/** Where the matches of a condition are found sooner than in the list's own table, in the same order. */
export interface Lead {
  /** A table, as `x`. */
  from: string;
  /** What leads from there to the `seq` of the list's table. */
  seq: string;
  /** In `x`, the order of `seq`. */
  order: string;
  sql: string;
  cells: Cell[];
  /** Whether all that is found matches; else the condition has still to be seen to. */
  isSure: boolean;
}

export function conditionsOf(table: Table, query: ListQuery, wanted: State): Condition[] {
  return [...activity(table, wanted), ...query.filters.flatMap((asked) => conditionOf(table, asked))];
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

function activity({ isSoftDeleted }: Table, wanted: State): Condition[] {
  if (!isSoftDeleted || wanted === 'any') return [];
  return [{ sql: `t.deleted_at IS ${wanted === 'deleted' ? 'NOT ' : ''}NULL`, cells: [] }];
}

function conditionOf(table: Table, asked: AskedFilter): Condition[] {
  const { on = '', match } = asked.filter;
  if (match === 'deleted') return [];
  const [value = ''] = asked.values;
  const own = match === 'unknown' ? ruleOf(table.name).filters?.[asked.filter.name]?.(value) : undefined;
  if (match === 'unknown') return own ? [own] : [];
  const column = columnOf(table, on);
  return [column ? columnCondition(table, column, asked) : relationCondition(table, on.split('.'), asked)];
}

function columnCondition(table: Table, column: Column, { filter, values }: AskedFilter): Condition {
  const name = `t.${quoted(column.name)}`;
  const [value] = values;
  const text = String(value);
  switch (filter.match) {
    case 'contains':
      return { sql: `instr(fold(${name}), fold(?)) > 0`, cells: [text], lead: textLead(table, column, text) };
    case 'after':
      return { sql: `${name} > ?`, cells: [text] };
    case 'before':
      return { sql: `${name} < ?`, cells: [text] };
    case 'on_day': {
      const start = readMoment(text);
      return { sql: `${name} >= ? AND ${name} < ?`, cells: [start, start + dayLength].map(writeMoment) };
    }
    case 'any':
      return { sql: `ifnull(${name}, 0) ${value === true ? '>' : '='} 0`, cells: [] };
    default:
      return { sql: `${name} IN (${marks(values)})`, cells: values.map((one) => toCell(filter.value, one)) };
  }
}

function textLead(table: Table, column: Column, text: string): Lead | undefined {
  const found = column.field.traits.searched ? textCandidates(table, column.name, text) : undefined;
  return found && { ...found, isSure: false };
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
  return {
    sql: `${isWanted ? '' : 'NOT '}EXISTS (SELECT 1 FROM ${sources.join(', ')} WHERE ${all.join(' AND ')})`,
    cells: asksForAny ? [] : values.map(String),
    lead:
      asksForAny || path.length > 1 || values.length > 1 ? undefined : linkLead(table, path[0], values[0]),
  };
}

/** The link table itself knows who has one link, in their order. */
function linkLead(table: Table, fieldName = '', id: unknown): Lead | undefined {
  const relation = relationOf(table, fieldName);
  if (relation?.kind !== 'links' || relation.near !== 'from_id') return undefined;
  const { target } = relation;
  const active = target.isSoftDeleted ? ' AND deleted_at IS NULL' : '';
  return {
    from: `${quoted(relation.table.name)} x`,
    seq: 'x.from_seq',
    order: 'x.from_seq',
    sql: `x.to_id = (SELECT id FROM ${quoted(target.name)} WHERE id = ?${active})`,
    cells: [String(id)],
    isSure: true,
  };
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
