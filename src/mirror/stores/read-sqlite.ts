/** Reads a mirror in a SQLite file. */
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { type Parameters, ReadOnly } from '../../storage/read-only.ts';
import { isEarlierLayout } from '../schema/state.ts';
import { readerForm } from './sqlite-form.ts';
import type { Reader } from './store.ts';

/**
 * Opens the file for reading. With `readsEarlierLayout`, also a file whose decimal numbers are still texts, which
 * queries compare as text.
 */
export function readSqlite(
  file: string,
  version: number,
  { readsEarlierLayout }: { readsEarlierLayout: boolean },
): Reader {
  const database = new ReadOnly(readerForm(file, version));
  if (!readsEarlierLayout && isEarlierLayout(database.version)) {
    database.close();
    throw new Failure(
      'unavailable',
      `The mirror ${file} was written by an earlier version of boh, which stored numbers as text.`,
      {
        hint: boh.hint`To update it without reading everything again: ${boh.mirror('mirror sync')}`,
      },
    );
  }
  return {
    called: file,
    dialect: 'sqlite',
    read: async (query) => database.all(query.textFor('sqlite'), query.values),
    beginSnapshot: async () => database.standStill(),
    rows: async (sql: string, parameters: Parameters) => {
      const { queryInThread } = await import('./query-in-thread.ts');
      return queryInThread({ file, version, sql, parameters });
    },
    close: async () => database.close(),
  };
}
