/** A page of a list: its rows, whether there are more, and how many there are. */
import type { Database } from '../../storage/database.ts';
import type { StoredRow } from '../store/cells.ts';
import type { Table } from '../store/tables.ts';
import type { Variant } from '../variant.ts';
import { wantedState } from './conditions.ts';
import { countOf, type Search, searchFor } from './matches.ts';
import { rowsFrom } from './pages.ts';
import type { ListQuery } from './query.ts';

/** Matches are counted up to here; a list with more of them tells no total, so that large lists stay as quick as small ones. */
const mostCounted = 1000;

export interface Page {
  rows: StoredRow[];
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
  const search = searchFor(table, query, wantedState(query, variant['wire.deleted_filter']));
  const offset = (query.page - 1) * pageSize;
  // One more tells whether there is a next page.
  const found = rowsFrom(database, search, offset, pageSize + 1);
  const rows = found.slice(0, pageSize);
  const hasNext = found.length > pageSize;
  const isWithin = rows.length > 0 || offset === 0;
  const total =
    keptCount(database, search) ?? (isWithin && !hasNext ? offset + rows.length : counted(database, search));
  return { rows, hasNext, total };
}

/** Where nothing is asked but whether records are deleted, the number is known. */
function keptCount(database: Database, { table, isPlain, wanted }: Search): number | undefined {
  if (!isPlain) return undefined;
  const row = database.get('SELECT active, deleted FROM sandbox_counts WHERE name = ?', table.name);
  const [active, deleted] = [Number(row?.active), Number(row?.deleted)];
  return { active, deleted, any: active + deleted }[wanted];
}

function counted(database: Database, search: Search): number | undefined {
  const number = countOf(database, search, mostCounted + 1);
  return number > mostCounted ? undefined : number;
}
