/** Removes the log of a file that was replaced: SQLite would apply it to the new file, because it doesn't know that it was. */
import { rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/**
 * Removes the log beside a file if the file has another identity without it: another file was moved here after a process
 * was killed. `sql` reads the identity. Files that can't be read are left for the code that opens them.
 */
export function removeForeignLog(file: string, sql: string): void {
  if (!statSync(`${file}-wal`, { throwIfNoEntry: false })?.size) return;
  const [own, withLog] = [identityOf(`${pathToFileURL(file)}?immutable=1`, sql), identityOf(file, sql)];
  const isReadable = own !== undefined && own !== damaged && withLog !== undefined;
  if (!isReadable || own === withLog) return;
  for (const part of ['-wal', '-shm']) rmSync(file + part, { force: true });
}

const damaged = 'damaged';
/** SQLite's codes for a file that is damaged or isn't a database: a foreign log can make it so. */
const damageCodes = [11, 26];

/** Returns the identity; `damaged` if the content contradicts itself, and undefined if the file can't be read now. */
function identityOf(location: string, sql: string): string | undefined {
  try {
    const connection = new DatabaseSync(location, { readOnly: true });
    try {
      return JSON.stringify(connection.prepare(sql).get());
    } finally {
      connection.close();
    }
  } catch (error) {
    return damageCodes.includes(Number((error as { errcode?: number }).errcode)) ? damaged : undefined;
  }
}
