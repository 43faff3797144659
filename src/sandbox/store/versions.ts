/**
 * The tables of what the API doesn't show, version by version; their names begin with `sandbox_`. A step that has been
 * released is never changed: files that have it behind them don't go through it again.
 */
import type { Database } from '../../storage/database.ts';
import { counting } from './blocks.ts';

export const versions: readonly ((database: Database) => void)[] = [
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
