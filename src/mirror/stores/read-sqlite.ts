/** A mirror in a file of SQLite, only read. */
import { Failure } from '../../base/errors.ts';
import { type Parameters, ReadOnly } from '../../storage/read-only.ts';
import { isOfEarlierForm } from '../schema/state.ts';
import { formOfReader } from './sqlite-form.ts';
import type { Reader } from './store.ts';

/** `isEarlierFormRead`: also where its numbers are texts still, which queries compare letter by letter. */
export function readSqlite(
  file: string,
  version: number,
  { isEarlierFormRead }: { isEarlierFormRead: boolean },
): Reader {
  const database = new ReadOnly(formOfReader(file, version));
  if (!isEarlierFormRead && isOfEarlierForm(database.version)) {
    database.close();
    throw new Failure(
      'unavailable',
      `The mirror ${file} is of an earlier boh, which kept numbers as texts.`,
      {
        hint: 'The next sync brings it up to date, without reading everything again: boh mirror sync',
      },
    );
  }
  return {
    called: file,
    dialect: 'sqlite',
    read: async (query) => database.all(query.textFor('sqlite'), query.values),
    standStill: async () => database.standStill(),
    rows: async (sql: string, parameters: Parameters) => {
      const { queryInThread } = await import('./query-in-thread.ts');
      return queryInThread({ file, version, sql, parameters });
    },
    close: async () => database.close(),
  };
}
