/** Lists in SQL: which records match, in which order, and how many there are. */
import type { Match } from '../../contract/filter.ts';
import type { Database } from '../../storage/database.ts';
import type { Cell, Row } from '../store/cells.ts';
import { quoted } from '../store/quoted.ts';
import type { Table } from '../store/tables.ts';
import type { Variant } from '../variant.ts';
import { type Condition, conditionsOf, type Lead, type State, wantedState } from './conditions.ts';
import type { ListQuery, Sort } from './query.ts';

/** Matches are counted up to here; a list with more of them tells no total, so that large lists stay as quick as small ones. */
const mostCounted = 1000;

export interface Page {
  rows: Row[];
  hasNext: boolean;
  /** Undefined where there are too many to count. */
  total: number | undefined;
}

export function searchPage(
  database: Database,
  table: Table,
  query: ListQuery,
  variant: Pick<Variant, 'wire.page_size' | 'wire.deleted_filter'>,
): Page {
  const pageSize = variant['wire.page_size'];
  const wanted = wantedState(query, variant['wire.deleted_filter']);
  const conditions = conditionsOf(table, query, wanted);
  const lead = conditions.find((condition) => condition.lead)?.lead;
  const { from, cells } = matching(table, conditions, lead);
  const offset = (query.page - 1) * pageSize;
  const found = database.all(
    `SELECT t.* ${from} ORDER BY ${order(query, wanted, lead)} LIMIT ? OFFSET ?`,
    ...cells,
    pageSize + 1,
    offset,
  );
  const rows = found.slice(0, pageSize);
  const hasNext = found.length > pageSize;
  const isWithin = rows.length > 0 || offset === 0;
  const counted = isWithin && !hasNext ? offset + rows.length : count(database, from, cells);
  return { rows, hasNext, total: keptCount(database, table, conditions, wanted) ?? counted };
}

function matching(
  table: Table,
  conditions: readonly Condition[],
  lead?: Lead,
): { from: string; cells: Cell[] } {
  const own = `${quoted(table.name)} t`;
  // CROSS JOIN keeps SQLite from turning the order around.
  const sources = lead ? `${lead.from} CROSS JOIN ${own} ON t.seq = ${lead.seq}` : own;
  const open = conditions.filter((condition) => !(lead?.isSure && condition.lead === lead));
  const all = lead ? [lead, ...open] : open;
  const where = all.length === 0 ? '' : ` WHERE ${all.map(({ sql }) => sql).join(' AND ')}`;
  return { from: `FROM ${sources}${where}`, cells: all.flatMap(({ cells }) => cells) };
}

/** Where nothing is asked but whether records are deleted, the number is known. */
function keptCount(
  database: Database,
  table: Table,
  conditions: readonly Condition[],
  wanted: State,
): number | undefined {
  const ofState = table.isSoftDeleted && wanted !== 'any' ? 1 : 0;
  if (conditions.length > ofState) return undefined;
  const row = database.get('SELECT active, deleted FROM sandbox_counts WHERE name = ?', table.name);
  const [active, deleted] = [Number(row?.active), Number(row?.deleted)];
  return { active, deleted, any: active + deleted }[wanted];
}

function count(database: Database, from: string, cells: readonly Cell[]): number | undefined {
  const sql = `SELECT count(*) AS number FROM (SELECT 1 ${from} LIMIT ?)`;
  const number = Number(database.get(sql, ...cells, mostCounted + 1)?.number);
  return number > mostCounted ? undefined : number;
}

/** As asked; else by the moment that is bounded or of the deletion, so that an index gives both; else as created. */
function order({ sort, filters }: ListQuery, wanted: State, lead?: Lead): string {
  const sorts = sort.length > 0 ? sort : naturalSort(filters, wanted);
  if (sorts.length === 0) return lead?.order ?? 't.seq';
  const direction = ({ isDescending }: Sort) => (isDescending ? ' DESC' : '');
  const parts = sorts.map((each) => `t.${quoted(each.fieldName)}${direction(each)}`);
  return [...parts, ...sorts.slice(0, 1).map((first) => `t.seq${direction(first)}`)].join(', ');
}

const bounds: readonly Match[] = ['after', 'before', 'on_day'];

function naturalSort(filters: ListQuery['filters'], wanted: State): Sort[] {
  const bounded = filters.find(({ filter }) => bounds.includes(filter.match))?.filter.on;
  const fieldName = bounded ?? (wanted === 'deleted' ? 'deleted_at' : undefined);
  return fieldName === undefined ? [] : [{ fieldName, isDescending: false }];
}
