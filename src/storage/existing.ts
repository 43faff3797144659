/** Files of SQLite that are there already: opened, and looked at while others close them. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Whatever SQLite is told to open it would make, where it isn’t there any more; a URL can say otherwise. Put together
 * here: Node’s own takes as long to set up as the file to open.
 */
export function existing(file: string, mode: 'rw' | 'ro' = 'rw'): string {
  if (file === ':memory:') return file;
  const path = resolve(file);
  const onWay = sep === '/' ? path : `/${path.replaceAll(sep, '/')}`;
  return `file://${onWay.replaceAll(/[%?#]/g, encodeURIComponent)}?mode=${mode}`;
}

const beginning = 'SQLite format 3\0';

/** Whether a file begins as those of SQLite do, told without a trace. Throws where it can't be read. */
export function isDatabase(file: string): boolean {
  if (!statSync(file).isFile()) return false;
  const opened = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(beginning.length);
    readSync(opened, bytes);
    return bytes.toString('latin1') === beginning;
  } finally {
    closeSync(opened);
  }
}

/** While it is open, another connection that is closed leaves the log as it is; itself it may not move it. */
export function onlooker(file: string): DatabaseSync | undefined {
  try {
    const connection = new DatabaseSync(existing(file, 'ro'), { readOnly: true });
    // With the first statement it takes its place among those that use the file; this one needs nothing of its content.
    connection.prepare('PRAGMA user_version').get();
    return connection;
  } catch {
    return undefined;
  }
}
