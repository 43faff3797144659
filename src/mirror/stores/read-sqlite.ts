/** A mirror in a file of SQLite, only read. */
import type { Compilable } from 'kysely';
import { type Parameters, ReadOnly } from '../../storage/read-only.ts';
import type { Cell } from '../schema/table.ts';
import { formOfReader } from './sqlite-form.ts';
import { queriesFor } from './statements.ts';
import type { Reader } from './store.ts';

export function readSqlite(file: string, version: number): Reader {
  const database = new ReadOnly(formOfReader(file, version));
  return {
    called: file,
    dialect: 'sqlite',
    queries: queriesFor('sqlite'),
    read: async (query: Compilable) => {
      const { sql, parameters } = query.compile();
      return database.all(sql, parameters as Cell[]);
    },
    standStill: async () => database.standStill(),
    rows: async (sql: string, parameters: Parameters) => {
      const { queryInThread } = await import('./query-in-thread.ts');
      return queryInThread({ file, version, sql, parameters });
    },
    close: async () => database.close(),
  };
}
