/** Content taken from one file to another, while others use the one or the other. */
import { backup, DatabaseSync } from 'node:sqlite';
import { makeEmpty } from './create.ts';
import type { Database, StoredRow } from './database.ts';
import { isOfSqlite, type Naming, StorageFailure, storageError } from './failures.ts';
import { Turns, type Waiting } from './turns.ts';

/** How much is copied at a stretch, in pages of 4 KB. */
const stretch = 10_000;

/** Makes a file that holds what another one held at one moment, whoever goes on writing to that. */
export async function copyFile(from: Naming, to: string, waiting?: Waiting): Promise<void> {
  let source: DatabaseSync | undefined;
  try {
    source = await new Turns().soon(() => readingFrom(from), waiting);
    makeEmpty(to);
    await backup(source, to, { rate: stretch });
  } catch (error) {
    throw storageError(error, from);
  } finally {
    source?.close();
  }
}

/** In the middle of a transaction, so that all of the copy is of one moment and nothing makes it begin again. */
function readingFrom(naming: Naming): DatabaseSync {
  const source = new DatabaseSync(naming.file, { timeout: 0 });
  try {
    source.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
    return source;
  } catch (error) {
    source.close();
    const told = storageError(error, naming);
    // It is the first look at the file: what can't be read by then is no database.
    throw told === error && isOfSqlite(error)
      ? new StorageFailure('damaged', naming, { cause: error })
      : told;
  }
}

/** What the other file is called in SQL while its content is taken over. */
export const otherName = 'other';

/**
 * Gives a database the content of another file in one transaction: whoever uses it sees the old or the new, and a
 * process that dies on the way changes nothing. Tables in `keep` stay as they are; `finish` may take into them what
 * the other file has there.
 */
export function takeContentOf(
  database: Database,
  file: string,
  { keep, finish }: { keep: readonly string[]; finish: () => void },
): void {
  const work = () => {
    clear(database, keep);
    const taken = tablesOf(database, otherName).filter(({ name }) => !keep.includes(String(name)));
    const shadows = new Set(taken.filter(isOf('shadow')).map(({ name }) => name));
    const definitions = definitionsOf(database).filter(
      ({ name, table }) => !keep.includes(String(table)) && !shadows.has(String(name)),
    );
    const define = (...types: string[]) => {
      for (const { type, sql } of definitions) if (types.includes(String(type))) database.script(String(sql));
    };
    // Indexes stand before the rows, so that SQLite copies both as they are; triggers would act on each row.
    define('table', 'index');
    for (const table of taken.filter(isOf('table', 'shadow'))) takeRows(database, table);
    if (database.get(`SELECT 1 FROM ${otherName}.sqlite_schema WHERE name = 'sqlite_sequence'`)) {
      takeRows(database, { name: 'sqlite_sequence', type: 'shadow' });
    }
    define('view', 'trigger');
    finish();
  };
  database.attached(file, otherName, () => database.undefended(() => database.write(work)));
}

function clear(database: Database, keep: readonly string[]): void {
  const old = tablesOf(database, 'main').filter(({ name }) => !keep.includes(String(name)));
  for (const { name } of old.filter(isOf('view'))) database.script(`DROP VIEW main."${name}"`);
  // With the tables that SQLite keeps for them.
  for (const { name } of old.filter(isOf('virtual'))) database.script(`DROP TABLE main."${name}"`);
  for (const { name } of old.filter(isOf('table'))) database.script(`DROP TABLE main."${name}"`);
}

function takeRows(database: Database, { name, type }: StoredRow): void {
  // What SQLite made by itself has rows already.
  if (type === 'shadow') database.script(`DELETE FROM main."${name}"`);
  database.script(`INSERT INTO main."${name}" SELECT * FROM ${otherName}."${name}"`);
}

/** Views, tables, virtual ones, and `shadow` for those in which SQLite keeps what virtual ones hold. */
function tablesOf(database: Database, name: string): StoredRow[] {
  return database.all(
    "SELECT name, type FROM pragma_table_list WHERE schema = ? AND name NOT LIKE 'sqlite_%'",
    name,
  );
}

function isOf(...types: string[]): (row: StoredRow) => boolean {
  return ({ type }) => types.includes(String(type));
}

/** In the order in which they were made: a table comes before its indexes. */
function definitionsOf(database: Database): StoredRow[] {
  return database.all(
    `SELECT type, name, sql, tbl_name AS "table" FROM ${otherName}.sqlite_schema
     WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid`,
  );
}
