/** A mirror in a database, only read: each query of somebody in a transaction that can’t write. */
import type { Compilable } from 'kysely';
import { Failure } from '../../errors.ts';
import { type Parameters, UnusableSql } from '../../storage/read-only.ts';
import type { PostgresTarget } from '../target.ts';
import { newer, readRows, telling, versionIn } from './postgres.ts';
import { cellFrom } from './postgres-cells.ts';
import { codeOf, connectTo } from './postgres-connection.ts';
import { queriesFor } from './statements.ts';
import type { Reader, Rows } from './store.ts';

/** Throws `not_found` where there is no mirror in it yet. */
export async function readPostgres(target: PostgresTarget, version: number): Promise<Reader> {
  const client = await connectTo(target);
  const queries = queriesFor('postgres');
  const read = (query: Compilable) => telling(target, () => readRows(client, query));

  let isStill = false;

  const rows = async (sql: string, parameters: Parameters): Promise<Rows> => {
    if (!queryForm.test(sql)) throw new UnusableSql('Only queries are run, and they change nothing.');
    await client.query('BEGIN TRANSACTION READ ONLY');
    try {
      const values = [...(parameters as readonly unknown[])];
      // With values, the server takes one statement alone; a name of its own makes it so without any.
      const answer = await client.query({ name: 'query', text: sql, values, rowMode: 'array' });
      const { fields } = answer;
      return {
        columns: fields.map(({ name }) => name),
        rows: answer.rows.map((row: unknown[]) =>
          fields.map(({ dataTypeID }, at) => cellFrom(dataTypeID, row[at])),
        ),
      };
    } catch (error) {
      if (isOfSql(codeOf(error)) && error instanceof Error) throw new UnusableSql(error.message);
      throw error;
    } finally {
      await client.query('ROLLBACK').catch(() => {});
    }
  };

  try {
    const found = await versionIn({ read, queries });
    if (found === 0) {
      throw new Failure('not_found', `There is no mirror in ${target.called} yet.`, {
        hint: 'Make it: boh mirror sync. A role that may not read it doesn’t see it, either.',
      });
    }
    if (found > version) throw newer(target);
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    called: target.called,
    dialect: 'postgres',
    queries,
    read,
    standStill: () =>
      telling(target, async () => {
        await client.query(oneMoment);
        isStill = true;
      }),
    rows: (sql, parameters) => telling(target, () => rows(sql, parameters)),
    close: async () => {
      if (isStill) await client.query('ROLLBACK').catch(() => {});
      await client.end();
    },
  };
}

const oneMoment = 'BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY';

/** Comments, then a word that only reads: COPY writes files in transactions that can’t write, too. */
const queryForm = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/|\()*(?:select|with|values|table|explain|show)\b/i;

/** What is wrong with the statement: syntax, names, values, rights, and what would write. */
function isOfSql(code = ''): boolean {
  return ['42', '22', '21', '0A', '25', '2F', '54'].includes(code.slice(0, 2));
}
