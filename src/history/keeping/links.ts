/** The links of a journal's chain in their order, each with what its digest should be of. */
import type { Cell, StoredRow } from '../../storage/database.ts';
import { digestOf } from '../journal/chain.ts';
import { digestedCells, type LinkedTable } from '../journal/columns.ts';
import type { Journal } from '../journal/journal.ts';

export interface Link {
  seq: number;
  /** In words: `entry 12`. */
  what: string;
  table: LinkedTable;
  /** Of an entry or its outcome its number, of a command its id. */
  key: number;
  digest: string;
  hash: string;
  salt: string | null;
  /** Undefined where it is forgotten. */
  content: readonly unknown[] | undefined;
  /** All that is there, forgotten or not; see `sealOf`. */
  left: readonly unknown[];
}

/** Rows that are read at a time. */
const stretch = 1000;

const tables = {
  commands: { order: 'id', key: 'id', word: 'command' },
  entries: { order: 'number', key: 'number', word: 'entry' },
  outcomes: { order: 'seq', key: 'number', word: 'the outcome of entry' },
  marks: { order: 'seq', key: 'seq', word: 'mark' },
} as const satisfies Readonly<Record<LinkedTable, object>>;

/** All of them, merged by their place in the chain. */
export function* linksOf(journal: Journal): Generator<Link> {
  const walks = (Object.keys(tables) as LinkedTable[]).map((table) => walk(journal, table));
  const heads = walks.map((rows) => rows.next().value as Link | undefined);
  for (;;) {
    let first = -1;
    heads.forEach((head, at) => {
      if (head && (first === -1 || head.seq < (heads[first]?.seq ?? 0))) first = at;
    });
    const link = heads[first];
    if (!link) return;
    yield link;
    heads[first] = walks[first]?.next().value as Link | undefined;
  }
}

function* walk({ database }: Journal, table: LinkedTable): Generator<Link> {
  const { order, key, word } = tables[table];
  for (let after: Cell = -1; ; ) {
    const rows = database.all(
      `SELECT * FROM ${table} WHERE ${order} > ? ORDER BY ${order} LIMIT ${stretch}`,
      after,
    );
    for (const row of rows) {
      yield {
        seq: Number(row.seq),
        what: `${word} ${row[key]}`,
        table,
        key: Number(row[key]),
        digest: String(row.digest),
        hash: String(row.hash),
        salt: table === 'marks' ? '' : (row.salt as string | null),
        content: contentOf(table, row),
        left: leftOf(table, row),
      };
    }
    const last = rows.at(-1);
    if (!last || rows.length < stretch) return;
    after = last[order] ?? null;
  }
}

/** As its digest was made of it. */
function contentOf(table: LinkedTable, row: StoredRow): readonly unknown[] | undefined {
  if (row.content === null || (table !== 'marks' && row.salt === null)) return undefined;
  return digestedCells(table, row);
}

/** With what isn’t part of its digest, and was taken out along with its content. */
function leftOf(table: LinkedTable, row: StoredRow): readonly unknown[] {
  return [...digestedCells(table, row), row.salt ?? null, row.id ?? null];
}

/** As marks name it: `entries 12`. */
export function nameOf({ table, key }: Pick<Link, 'table' | 'key'>): string {
  return `${table} ${key}`;
}

/** What a mark tells of a link that isn’t held by the chain any more, or not all of it: what is left can be held to it. */
export function sealOf({ left }: Pick<Link, 'left'>): string {
  return digestOf('', left);
}

/** By name, as a mark tells it; what was to be taken out of them is gone already. */
export function sealed(
  { database }: Pick<Journal, 'database'>,
  links: readonly Pick<Link, 'table' | 'key'>[],
): { links: string[]; seals: string[] } {
  const seals = links.map(({ table, key }) => {
    const row = database.get(`SELECT * FROM ${table} WHERE ${tables[table].key} = ?`, key);
    if (!row) throw database.damaged();
    return sealOf({ left: leftOf(table, row) });
  });
  return { links: links.map(nameOf), seals };
}

/** Those of a table up to a link of the chain. */
export function keysUpTo(database: Journal['database'], table: LinkedTable, seq: number): number[] {
  const { key } = tables[table];
  return database.all(`SELECT ${key} AS key FROM ${table} WHERE seq <= ?`, seq).map((row) => Number(row.key));
}
