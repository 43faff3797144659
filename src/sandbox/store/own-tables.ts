/** The tables of what the API doesn't show; their names begin with `sandbox_`. */
import type { Tables } from './tables.ts';
import { textIndexSql } from './text-index.ts';

export function ownTables(tables: Tables): string[] {
  return [...always, textIndexSql(tables), ...(tables.has('loyalty_transactions') ? [ripening] : [])];
}

const always = [
  `CREATE TABLE sandbox_facts (
    name TEXT PRIMARY KEY, value TEXT NOT NULL
  ) WITHOUT ROWID`,
  `CREATE TABLE sandbox_counts (
    name TEXT PRIMARY KEY, active INTEGER NOT NULL, deleted INTEGER NOT NULL
  ) WITHOUT ROWID`,
  `CREATE TABLE sandbox_tokens (
    hash TEXT PRIMARY KEY, scopes TEXT NOT NULL, user_id TEXT NOT NULL, made_at TEXT NOT NULL
  ) WITHOUT ROWID`,
  `CREATE TABLE sandbox_codes (
    hash TEXT PRIMARY KEY, client_id TEXT NOT NULL, redirect_uri TEXT NOT NULL, scopes TEXT NOT NULL,
    made_at INTEGER NOT NULL, is_used INTEGER NOT NULL
  ) WITHOUT ROWID`,
  `CREATE TABLE sandbox_stock (
    place_id TEXT NOT NULL, item_id TEXT NOT NULL, quantity REAL NOT NULL, PRIMARY KEY (place_id, item_id)
  ) WITHOUT ROWID`,
  `CREATE TABLE sandbox_events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, type TEXT NOT NULL, branch_id TEXT NOT NULL,
    resource TEXT NOT NULL, record_id TEXT NOT NULL, users TEXT NOT NULL
  )`,
];

/** Looked at before each request. */
const ripening =
  'CREATE INDEX sandbox_ripening ON loyalty_transactions (redeemable_at) WHERE is_redeemed = 0';
