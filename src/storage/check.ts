/** Checks the integrity of a SQLite file. */
import type { Database } from './database.ts';
import { StorageFailure } from './failures.ts';

/** The maximum number of problems to report. */
const maxProblems = 20;

/**
 * Checks the integrity of a file. Returns SQLite's descriptions of damage; empty if the file is intact. Reads the whole file, which may take seconds.
 */
export function checkIntegrity(database: Database): string[] {
  try {
    const rows = database.all(`PRAGMA integrity_check(${maxProblems})`);
    return rows.map(({ integrity_check }) => String(integrity_check)).filter((text) => text !== 'ok');
  } catch (error) {
    if (!(error instanceof StorageFailure && error.problem === 'damaged')) throw error;
    return [error.cause instanceof Error ? error.cause.message : error.message];
  }
}
