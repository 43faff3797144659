/** Lists a resource's records from a mirror: applies the API's filters and order without requests to the account. */
import { setImmediate } from 'node:timers/promises';
import type { ListPage } from '../../account/session/list.ts';
import { identifier, joinSql, sql, where } from '../../api/sql/sql.ts';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { conditionsFor } from './query/conditions.ts';
import { buildRecords } from './query/records.ts';
import type { MirroredResource } from './schema/derive.ts';
import type { State } from './schema/state.ts';
import { idColumn, otherColumn, readingColumn, type Table } from './schema/table.ts';
import type { Reader, StoredRow } from './stores/store.ts';
import { readStates } from './sync/states.ts';

/** The filters and the order of a list. */
export interface MirrorQuery {
  /** Filter values by the API's filter names. */
  filters: Readonly<Record<string, string>>;
  /** Column names; a leading `-` sorts descending. */
  sort: readonly string[];
}

/** The maximum number of records on a page. */
const maxPageRows = 500;

/** Returns the sync state of a resource. Throws `not_found` if its list has never been read completely. */
export async function requireSyncedState(reader: Reader, { resource }: MirroredResource): Promise<State> {
  const state = (await readStates(reader)).get(resource.name);
  if (state?.syncedAt !== undefined) return state;
  throw new Failure('not_found', `The mirror ${reader.label} doesn't have all ${resource.nouns} yet.`, {
    hint: boh.hint`To sync them: ${boh.mirror('mirror sync', '--resource', resource.command)}`,
  });
}

/**
 * Yields the matching records page by page, without bodies: there is no HTTP response. All pages are from the same
 * state of the mirror, even while a sync is running.
 */
export async function* mirrorPages(
  reader: Reader,
  mirrored: MirroredResource,
  { filters, sort }: MirrorQuery,
): AsyncGenerator<ListPage> {
  const { main } = mirrored;
  await reader.beginSnapshot();
  const states = [...(await readStates(reader)).values()];
  const synced = new Set(
    states.flatMap(({ resource, syncedAt }) => (syncedAt === undefined ? [] : resource)),
  );
  const conditions = conditionsFor(mirrored, filters, reader.dialect);
  const textColumns = new Set(main.columns.flatMap(({ name, type }) => (type === 'text' ? name : [])));
  const needsCollation = reader.dialect === 'postgres';
  const order = parseOrder(mirrored, sort).map(([column, direction]) => {
    // Every engine sorts in the same way: by character codes, whatever the database's locale, with nulls first.
    const sortColumn =
      needsCollation && textColumns.has(column) ? sql`${identifier(column)} COLLATE "C"` : identifier(column);
    return direction === 'asc' ? sql`${sortColumn} ASC NULLS FIRST` : sql`${sortColumn} DESC NULLS LAST`;
  });
  const selection = sql`SELECT ${identifier(idColumn)} FROM ${identifier(main.name)}${where(conditions)}`;
  // The IDs are sorted once: a query with LIMIT would sort for every page.
  const idRows = await reader.read(sql`${selection} ORDER BY ${joinSql(order, ', ')}`);
  const ids = idRows.map((row) => String(row[idColumn]));
  const [total, lastPage] = [ids.length, Math.max(1, Math.ceil(ids.length / maxPageRows))];
  for (let number = 1; number <= lastPage; number++) {
    const pageIds = ids.slice((number - 1) * maxPageRows, number * maxPageRows);
    const rows = await readRowsInOrder(reader, main, pageIds);
    yield {
      number,
      rows: await buildRecords(reader, mirrored, rows, synced),
      body: '',
      total,
      lastPage,
      perPage: maxPageRows,
      hasNext: number < lastPage,
    };
    // Queries on a file block the event loop, so signals are handled between pages.
    await setImmediate();
  }
}

/** Returns the rows in the order of the IDs. */
async function readRowsInOrder(reader: Reader, table: Table, ids: readonly string[]): Promise<StoredRow[]> {
  if (ids.length === 0) return [];
  const query = sql`SELECT * FROM ${identifier(table.name)} WHERE ${identifier(idColumn)} IN ${ids}`;
  const rows = new Map((await reader.read(query)).map((row) => [row[idColumn], row]));
  return ids.flatMap((id) => {
    const row = rows.get(id);
    return row ? [row] : [];
  });
}

/** Returns the requested order, or by creation time if none is requested. The ID makes the order unique. */
function parseOrder({ main }: MirroredResource, sort: readonly string[]): [string, 'asc' | 'desc'][] {
  const names = new Set(main.columns.map(({ name }) => name));
  const sortFields = sort.length > 0 ? sort : ['created_at'];
  const order = sortFields.map((sortField): [string, 'asc' | 'desc'] =>
    sortField.startsWith('-') ? [sortField.slice(1), 'desc'] : [sortField, 'asc'],
  );
  const unknownColumns = sort.length > 0 ? order.filter(([name]) => !names.has(name)) : [];
  if (unknownColumns.length > 0) {
    throw usage(`The mirror can't sort by ${unknownColumns.map(([name]) => name).join(', ')}.`, {
      hint: `Sort by one of: ${[...names].filter((name) => name !== readingColumn && name !== otherColumn).join(', ')}.`,
    });
  }
  return [...order.filter(([name]) => names.has(name)), [idColumn, 'asc']];
}
