/** What a sandbox's file is: how it is known, what it holds, and how messages speak of it. */
import { basename } from 'node:path';
import { boh } from '../../base/hint.ts';
import { lazy } from '../../contract/lazy.ts';
import type { Database } from '../../storage/database.ts';
import type { Naming } from '../../storage/failures.ts';
import { type FileFormat, fileFormats } from '../../storage/formats.ts';
import type { Form } from '../../storage/open.ts';
import { counting } from './blocks.ts';
import { carryOver } from './carry-over.ts';
import { writeFact } from './facts.ts';
import { markOf, schemaOf } from './schema.ts';
import type { Table } from './tables.ts';
import { fold } from './text-index.ts';

export function namingOf(file: string): Naming & FileFormat {
  const name = basename(file, '.sqlite');
  return {
    file,
    ...fileFormats.sandbox,
    remedy: boh.hint`To set the file aside and make a new one: ${boh.plain('sandbox reset', '--name', name)}`,
  };
}

/** Whatever stands there: another one than ours asks for a look at the tables. */
function readMark(database: Database): string | undefined {
  const row = database.get("SELECT value FROM sandbox_facts WHERE name = 'contract'");
  return row && String(row.value);
}

/**
 * `file` is the one that messages speak of. `known` is the mark of the tables, where it is known: a file that has it
 * needs no look at them.
 */
export function sandboxForm(file: string, tables: () => readonly Table[], known?: string): Form {
  const schema = lazy(() => schemaOf(tables()));
  const mark = lazy(() => known ?? markOf(schema()));
  return {
    ...namingOf(file),
    steps: versions,
    upkeep: {
      isDone: (database) => readMark(database) === JSON.stringify(mark()),
      do: (database: Database) => {
        carryOver(database, schema());
        writeFact(database, 'contract', mark());
      },
    },
    durability: 'process',
    // Whoever waits does so in turn, while everything else goes on.
    wait: 0,
    functions: { fold: (cell = null) => fold(cell) },
  };
}

/**
 * The tables of what the API doesn't show, version by version; their names begin with `sandbox_`. A step that has been
 * released is never changed: files that have it behind them don't go through it again.
 */
const versions: readonly ((database: Database) => void)[] = [
  (database) =>
    database.script(
      `CREATE TABLE sandbox_facts (
         name TEXT PRIMARY KEY, value TEXT NOT NULL
       ) WITHOUT ROWID;
       CREATE TABLE sandbox_counts (
         name TEXT PRIMARY KEY, active INTEGER NOT NULL, deleted INTEGER NOT NULL
       ) WITHOUT ROWID;
       CREATE TABLE sandbox_tokens (
         hash TEXT PRIMARY KEY, scopes TEXT NOT NULL, user_id TEXT NOT NULL, made_at TEXT NOT NULL
       ) WITHOUT ROWID;
       CREATE TABLE sandbox_codes (
         hash TEXT PRIMARY KEY, client_id TEXT NOT NULL, redirect_uri TEXT NOT NULL, scopes TEXT NOT NULL,
         made_at INTEGER NOT NULL, is_used INTEGER NOT NULL
       ) WITHOUT ROWID;
       CREATE TABLE sandbox_stock (
         place_id TEXT NOT NULL, item_id TEXT NOT NULL, quantity REAL NOT NULL, PRIMARY KEY (place_id, item_id)
       ) WITHOUT ROWID;
       CREATE TABLE sandbox_events (
         seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, type TEXT NOT NULL, branch_id TEXT NOT NULL,
         resource TEXT NOT NULL, record_id TEXT NOT NULL, users TEXT NOT NULL
       );
       CREATE VIRTUAL TABLE sandbox_text USING fts5(
         folded, tokenize = 'trigram case_sensitive 1', content = '', contentless_delete = 1, detail = none
       )`,
    ),
  numberSearchedColumns,
  (database) => database.script('CREATE INDEX sandbox_events_about ON sandbox_events (record_id, type)'),
  (database) =>
    database.script(
      `CREATE TABLE sandbox_blocks (
         name TEXT NOT NULL, bits INTEGER NOT NULL, block INTEGER NOT NULL, active INTEGER NOT NULL,
         deleted INTEGER NOT NULL, PRIMARY KEY (name, bits, block)
       ) WITHOUT ROWID`,
    ),
  (database) => database.script(counting),
];

/** Which column an entry of the text index is of. Until then it followed from the contract’s order, which no file says. */
function numberSearchedColumns(database: Database): void {
  database.script('CREATE TABLE sandbox_searched (name TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE)');
  // Filled anew as the tables are brought to what the contract asks for.
  database.run("INSERT INTO sandbox_text (sandbox_text) VALUES ('delete-all')");
}
