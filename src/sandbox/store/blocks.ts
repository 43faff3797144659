/**
 * Finds the record at a position of a list without counting all rows before it: rows are counted in blocks of their
 * numbers, and in blocks of blocks.
 */
import type { Database } from '../../storage/database.ts';
import { quoted } from '../../storage/quoted.ts';

/** The number of bits by which `seq` is shifted to get its block: blocks of 512 numbers, and of 512 times 512. */
const levels = [9, 18] as const;

/**
 * A view to which triggers report added and removed rows, with the change in active and deleted records. There is one
 * for all tables, because SQLite parses all triggers of a file whenever it opens one. The view stores nothing.
 */
export const counting = `
  CREATE VIEW sandbox_moves (name, seq, active, deleted) AS SELECT '', 0, 0, 0 WHERE false;
  CREATE TRIGGER sandbox_counting INSTEAD OF INSERT ON sandbox_moves BEGIN
    UPDATE sandbox_counts SET active = active + NEW.active, deleted = deleted + NEW.deleted WHERE name = NEW.name;
    ${levels.map(countInBlocks).join('')}
  END`;

function countInBlocks(bits: number): string {
  return `INSERT INTO sandbox_blocks (name, bits, block, active, deleted)
      VALUES (NEW.name, ${bits}, NEW.seq >> ${bits}, NEW.active, NEW.deleted)
      ON CONFLICT (name, bits, block)
      DO UPDATE SET active = active + excluded.active, deleted = deleted + excluded.deleted;`;
}

/** Counts the blocks of a table from its rows. */
export function recountBlocks(database: Database, table: string, isSoftDeleted: boolean): void {
  const deleted = isSoftDeleted ? 'count(deleted_at)' : '0';
  database.run('DELETE FROM sandbox_blocks WHERE name = ?', table);
  for (const bits of levels) {
    database.run(
      `INSERT INTO sandbox_blocks (name, bits, block, active, deleted)
       SELECT ?, ${bits}, seq >> ${bits}, count(*) - ${deleted}, ${deleted} FROM ${quoted(table)} GROUP BY 3`,
      table,
    );
  }
}

/** Where to look for a record: `skip` rows after the number `after`. */
export interface ListPosition {
  after: number;
  skip: number;
}

/**
 * Returns the place of a position, counted from 0, among the active records or all. Returns undefined if there are
 * fewer.
 */
export function positionIn(
  database: Database,
  list: CountedList,
  position: number,
): ListPosition | undefined {
  const [small, large] = levels;
  const among = blockAt(database, list, { bits: large, from: 0, to: Number.MAX_SAFE_INTEGER }, position);
  if (!among) return undefined;
  const from = among.block * 2 ** (large - small);
  const inside = { bits: small, from, to: from + 2 ** (large - small) };
  const found = blockAt(database, list, inside, among.skip);
  return found && { after: found.block * 2 ** small - 1, skip: found.skip };
}

interface CountedList {
  table: { name: string };
  wanted: 'active' | 'deleted' | 'any';
}

interface Blocks {
  bits: number;
  from: number;
  to: number;
}

function blockAt(
  database: Database,
  { table, wanted }: CountedList,
  { bits, from, to }: Blocks,
  position: number,
): { block: number; skip: number } | undefined {
  const rows = database.all(
    `SELECT block, ${wanted === 'any' ? 'active + deleted' : wanted} AS number FROM sandbox_blocks
     WHERE name = ? AND bits = ? AND block >= ? AND block < ? ORDER BY block`,
    table.name,
    bits,
    from,
    to,
  );
  let skip = position;
  for (const { block, number } of rows) {
    if (Number(number) > skip) return { block: Number(block), skip };
    skip -= Number(number);
  }
  return undefined;
}
