/** What a ledger's file is: how it is known, what it holds, and how messages speak of it. */
import type { Database } from '../../storage/database.ts';
import type { Naming } from '../../storage/failures.ts';
import { fileFormats } from '../../storage/formats.ts';
import type { Form } from '../../storage/open.ts';

/** The id of another row's record that a row was answered with, as SQL. */
export const answeredId = "json_extract(error, '$.answered.id')";

function begin(database: Database): void {
  database.script(`
    CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE rows (
      seq INTEGER PRIMARY KEY,
      line INTEGER,
      key TEXT,
      match TEXT,
      intent TEXT,
      steps TEXT,
      changes TEXT,
      raw TEXT
    );
    CREATE INDEX rows_by_match ON rows (match) WHERE match IS NOT NULL;
    CREATE TABLE progress (
      seq INTEGER PRIMARY KEY,
      state TEXT NOT NULL,
      action TEXT,
      id TEXT,
      step INTEGER NOT NULL,
      error TEXT,
      sent_at INTEGER,
      tries INTEGER NOT NULL
    );
  `);
}

/** Rows that others call by name, and runs that write to several resources. */
function nameRows(database: Database): void {
  database.script(`
    ALTER TABLE rows ADD COLUMN name TEXT;
    ALTER TABLE rows ADD COLUMN resource TEXT;
    CREATE UNIQUE INDEX rows_by_name ON rows (name) WHERE name IS NOT NULL;
  `);
}

/** With each creation rows are looked for that are the record with its id, or were answered with it. */
function indexIds(database: Database): void {
  database.script(`
    CREATE INDEX IF NOT EXISTS progress_by_id ON progress (id) WHERE id IS NOT NULL;
    CREATE INDEX IF NOT EXISTS progress_by_answer ON progress (${answeredId}) WHERE state = 'unknown';
  `);
}

export function ledgerForm(file: string): Form & Naming {
  return {
    file,
    ...fileFormats.ledger,
    steps: [begin, nameRows, indexIds],
    remedy: `Look at what the service holds before you run it again; then set ${file} aside.`,
    durability: 'process',
    // A run shouldn't wait for the disk every few moments, nor while it is planned: its end does once.
    pagesInLog: 8000,
    // It holds what is in the records.
    isPrivate: true,
    wait: 5000,
    functions: {},
  };
}
