/** The marks in a file by which a sandbox that this version can use is known. */
import { createHash } from 'node:crypto';
import type { Database } from './database.ts';
import { readFact, writeFact } from './facts.ts';
import { UnusableFile } from './failures.ts';
import { schema } from './schema.ts';
import type { Tables } from './tables.ts';

/** "boh" and a number: SQLite keeps it in the file's header. */
const applicationId = 0x626f6801;

/** Goes up when what is kept in the tables changes its meaning; other tables are seen by their SQL. */
const schemaVersion = 1;

export function writeMarks(database: Database, tables: Tables): void {
  database.script(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`);
  writeContractMark(database, tables);
}

/** Lost when a sandbox is emptied, unlike the marks in the file's header. */
export function writeContractMark(database: Database, tables: Tables): void {
  writeFact(database, factName, contractMark(tables));
}

export function checkMarks(database: Database, tables: Tables): void {
  const application = Number(database.get('PRAGMA application_id')?.application_id);
  const version = Number(database.get('PRAGMA user_version')?.user_version);
  if (application !== applicationId) throw new UnusableFile(database.file, 'is not a sandbox');
  if (version > schemaVersion) throw new UnusableFile(database.file, 'was made by a newer version of boh');
  if (version < schemaVersion || readFact(database, factName) !== contractMark(tables)) {
    throw new UnusableFile(database.file, 'was made by another version of boh');
  }
}

const factName = 'contract';

/** Differs as soon as the contract makes other tables. */
function contractMark(tables: Tables): string {
  return createHash('sha256').update(schema(tables)).digest('base64url').slice(0, 16);
}
