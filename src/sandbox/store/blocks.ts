/**
 * Where in a list the record at a position stands, without counting all before it: the records of a table are counted
 * by blocks of their numbers, and the blocks by blocks of blocks.
 */
import type { Database } from '../../storage/database.ts';
import { quoted } from '../../storage/quoted.ts';

/** By how many bits a record's `seq` is shortened to its block: 512 numbers, and 512 times as many. */
const levels = [9, 18] as const;

/**
 * What triggers hand the comings and goings of rows to, each with how many active and deleted ones there are more. In one
 * place for all tables, as SQLite reads every trigger of a file anew whenever one is opened. A view, in which nothing stays.
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

export function countBlocksAnew(database: Database, table: string, isSoftDeleted: boolean): void {
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

/** Where to look for the record at a position, counted from 0: after so many others behind the number `after`. */
export interface Place {
  after: number;
  skip: number;
}

/** Among the active records, or among all. Undefined where there are no so many. */
export function placeAt(database: Database, list: CountedList, position: number): Place | undefined {
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
