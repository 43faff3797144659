/** Reads the links of a journal's chain in order, each with the content that its digest covers. */
import type { Cell, StoredRow } from '../../storage/database.ts';
import { digestOf } from '../journal/chain.ts';
import { digestedCells, type LinkedTable } from '../journal/columns.ts';
import type { Journal } from '../journal/journal.ts';

/** A link of the chain with its row. */
export interface Link {
  seq: number;
  /** A name for messages: `entry 12`. */
  label: string;
  table: LinkedTable;
  /** The number of an entry or its outcome, or the ID of a command. */
  key: number;
  digest: string;
  hash: string;
  salt: string | null;
  /** Undefined if the content was forgotten. */
  content: readonly unknown[] | undefined;
  /** The remaining content of the row, which a seal covers; see `sealOf`. */
  remaining: readonly unknown[];
}

/** The number of rows that are read at a time. */
const batchRows = 1000;

const tables = {
  commands: { order: 'id', key: 'id', noun: 'command' },
  entries: { order: 'number', key: 'number', noun: 'entry' },
  outcomes: { order: 'seq', key: 'number', noun: 'the outcome of entry' },
  marks: { order: 'seq', key: 'seq', noun: 'mark' },
} as const satisfies Readonly<Record<LinkedTable, object>>;

/** Yields all links, merged in chain order. */
export function* linksOf(journal: Journal): Generator<Link> {
  const iterators = (Object.keys(tables) as LinkedTable[]).map((table) => linksOfTable(journal, table));
  const nextLinks = iterators.map((rows) => rows.next().value as Link | undefined);
  for (;;) {
    let firstIndex = -1;
    nextLinks.forEach((nextLink, index) => {
      if (nextLink && (firstIndex === -1 || nextLink.seq < (nextLinks[firstIndex]?.seq ?? 0)))
        firstIndex = index;
    });
    const link = nextLinks[firstIndex];
    if (!link) return;
    yield link;
    nextLinks[firstIndex] = iterators[firstIndex]?.next().value as Link | undefined;
  }
}

function* linksOfTable({ database }: Journal, table: LinkedTable): Generator<Link> {
  const { order, key, noun } = tables[table];
  for (let after: Cell = -1; ; ) {
    const rows = database.all(
      `SELECT * FROM ${table} WHERE ${order} > ? ORDER BY ${order} LIMIT ${batchRows}`,
      after,
    );
    for (const row of rows) {
      yield {
        seq: Number(row.seq),
        label: `${noun} ${row[key]}`,
        table,
        key: Number(row[key]),
        digest: String(row.digest),
        hash: String(row.hash),
        salt: table === 'marks' ? '' : (row.salt as string | null),
        content: contentOf(table, row),
        remaining: remainingCells(table, row),
      };
    }
    const lastRow = rows.at(-1);
    if (!lastRow || rows.length < batchRows) return;
    after = lastRow[order] ?? null;
  }
}

/** Returns the content as the digest covers it. */
function contentOf(table: LinkedTable, row: StoredRow): readonly unknown[] | undefined {
  if (row.content === null || (table !== 'marks' && row.salt === null)) return undefined;
  return digestedCells(table, row);
}

/** Returns the content and the columns that the digest doesn't cover and that are deleted with it. */
function remainingCells(table: LinkedTable, row: StoredRow): readonly unknown[] {
  return [...digestedCells(table, row), row.salt ?? null, row.id ?? null];
}

/** Returns the name that marks use for a link: `entries 12`. */
export function nameOf({ table, key }: Pick<Link, 'table' | 'key'>): string {
  return `${table} ${key}`;
}

/**
 * Returns a hash of the remaining content of a link whose digest no longer matches, so that this content can still be
 * verified.
 */
export function sealOf({ remaining }: Pick<Link, 'remaining'>): string {
  return digestOf('', remaining);
}

/** Returns the names and seals of links, for a mark. Call it after their content was deleted. */
export function sealLinks(
  { database }: Pick<Journal, 'database'>,
  links: readonly Pick<Link, 'table' | 'key'>[],
): { links: string[]; seals: string[] } {
  const seals = links.map(({ table, key }) => {
    const row = database.get(`SELECT * FROM ${table} WHERE ${tables[table].key} = ?`, key);
    if (!row) throw database.damagedFailure();
    return sealOf({ remaining: remainingCells(table, row) });
  });
  return { links: links.map(nameOf), seals };
}

/** Returns the keys of a table's links up to a position in the chain. */
export function keysUpTo(database: Journal['database'], table: LinkedTable, seq: number): number[] {
  const { key } = tables[table];
  return database.all(`SELECT ${key} AS key FROM ${table} WHERE seq <= ?`, seq).map((row) => Number(row.key));
}
