/** A mirror in a file of SQLite, only read. */
import type { Compilable } from 'kysely';
import { type Parameters, ReadOnly } from '../../storage/read-only.ts';
import type { Cell } from '../schema/table.ts';
import { applicationId, namingOfMirror, readerFunctions } from './sqlite-form.ts';
import { queriesFor } from './statements.ts';
import type { Reader } from './store.ts';

export function readSqlite(file: string, version: number): Reader {
  const naming = namingOfMirror(file);
  const database = new ReadOnly({
    ...naming,
    applicationId,
    version,
    wait: 10_000,
    functions: readerFunctions,
  });
  return {
    called: file,
    dialect: 'sqlite',
    queries: queriesFor('sqlite'),
    read: async (query: Compilable) => {
      const { sql, parameters } = query.compile();
      return database.all(sql, parameters as Cell[]);
    },
    standStill: async () => database.standStill(),
    rows: async (sql: string, parameters: Parameters) => database.rows(sql, parameters),
    close: async () => database.close(),
  };
}
