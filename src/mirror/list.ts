/** A resource’s list as its mirror has it: the API’s own filters, answered without asking the account. */
import { setImmediate } from 'node:timers/promises';
import { Failure, usage } from '../base/errors.ts';
import type { Row } from '../session/row.ts';
import { conditionsFor } from './query/conditions.ts';
import { recordsOf } from './query/records.ts';
import type { Mirrored } from './schema/derive.ts';
import type { State } from './schema/state.ts';
import { idColumn, otherColumn, type Table, walkColumn } from './schema/table.ts';
import { joined, name, sql, where } from './stores/sql.ts';
import type { Reader, StoredRow } from './stores/store.ts';
import { readStates } from './sync/states.ts';

export interface MirrorQuery {
  /** By the document’s names. */
  filters: Readonly<Record<string, string>>;
  /** Names of columns, `-` in front for the last first. */
  sort: readonly string[];
}

export interface MirrorPage {
  number: number;
  rows: Row[];
  body: string;
  total: number;
  lastPage: number;
  perPage: number;
  hasNext: boolean;
}

const perPage = 500;

/** Throws `not_found` where the resource was never read whole into the mirror. */
export async function stateForList(reader: Reader, { resource }: Mirrored): Promise<State> {
  const state = (await readStates(reader)).get(resource.name);
  if (state?.syncedAt !== undefined) return state;
  throw new Failure('not_found', `The mirror ${reader.called} has no whole list of ${resource.nouns} yet.`, {
    hint: `boh mirror sync --resource ${resource.command}`,
  });
}

/** Page after page of the records that the filters leave, all of one moment: a sync may be under way. */
export async function* mirrorPages(
  reader: Reader,
  mirrored: Mirrored,
  { filters, sort }: MirrorQuery,
): AsyncGenerator<MirrorPage> {
  const { main } = mirrored;
  await reader.standStill();
  const states = [...(await readStates(reader)).values()];
  const synced = new Set(
    states.flatMap(({ resource, syncedAt }) => (syncedAt === undefined ? [] : resource)),
  );
  const conditions = conditionsFor(mirrored, filters, reader.dialect);
  const texts = new Set(main.columns.flatMap(({ name, type }) => (type === 'text' ? name : [])));
  const isCollated = reader.dialect === 'postgres';
  const order = orderOf(mirrored, sort).map(([column, direction]) => {
    // The same order on every engine: by characters, whatever the database's language, and nothing before all else.
    const own = isCollated && texts.has(column) ? sql`${name(column)} COLLATE "C"` : name(column);
    return direction === 'asc' ? sql`${own} ASC NULLS FIRST` : sql`${own} DESC NULLS LAST`;
  });
  const chosen = sql`SELECT ${name(idColumn)} FROM ${name(main.name)}${where(conditions)}`;
  // Put in order once: a page by itself would be, each time.
  const ordered = await reader.read(sql`${chosen} ORDER BY ${joined(order, ', ')}`);
  const ids = ordered.map((row) => String(row[idColumn]));
  const [total, lastPage] = [ids.length, Math.max(1, Math.ceil(ids.length / perPage))];
  for (let number = 1; number <= lastPage; number++) {
    const wanted = ids.slice((number - 1) * perPage, number * perPage);
    const rows = await rowsOf(reader, main, wanted);
    yield {
      number,
      rows: await recordsOf(reader, mirrored, rows, synced),
      body: '',
      total,
      lastPage,
      perPage,
      hasNext: number < lastPage,
    };
    // A file answers at once: whoever wants the run to end has to be heard in between.
    await setImmediate();
  }
}

/** In the order of the ids. */
async function rowsOf(reader: Reader, table: Table, ids: readonly string[]): Promise<StoredRow[]> {
  if (ids.length === 0) return [];
  const query = sql`SELECT * FROM ${name(table.name)} WHERE ${name(idColumn)} IN ${ids}`;
  const rows = new Map((await reader.read(query)).map((row) => [row[idColumn], row]));
  return ids.flatMap((id) => {
    const row = rows.get(id);
    return row ? [row] : [];
  });
}

/** As it is asked for; else as the records were made. */
function orderOf({ main }: Mirrored, sort: readonly string[]): [string, 'asc' | 'desc'][] {
  const names = new Set(main.columns.map(({ name }) => name));
  const asked = sort.length > 0 ? sort : ['created_at'];
  const order = asked.map((text): [string, 'asc' | 'desc'] =>
    text.startsWith('-') ? [text.slice(1), 'desc'] : [text, 'asc'],
  );
  const wrong = sort.length > 0 ? order.filter(([name]) => !names.has(name)) : [];
  if (wrong.length > 0) {
    throw usage(`A copy can’t be sorted by ${wrong.map(([name]) => name).join(', ')}.`, {
      hint: `It can be by: ${[...names].filter((name) => name !== walkColumn && name !== otherColumn).join(', ')}.`,
    });
  }
  return [...order.filter(([name]) => names.has(name)), [idColumn, 'asc']];
}
