/** Whether a file is whole, looked at page by page. */
import type { Database } from './database.ts';
import { StorageFailure } from './failures.ts';

/** More would tell nobody more. */
const mostProblems = 20;

/** What is wrong with it, in SQLite’s words; nothing where it is whole. Reads all of it: seconds for a large one. */
export function damageIn(database: Database): string[] {
  try {
    const rows = database.all(`PRAGMA integrity_check(${mostProblems})`);
    return rows.map(({ integrity_check }) => String(integrity_check)).filter((text) => text !== 'ok');
  } catch (error) {
    if (!(error instanceof StorageFailure && error.problem === 'damaged')) throw error;
    return [error.cause instanceof Error ? error.cause.message : error.message];
  }
}
