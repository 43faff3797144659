/** A mirror in a database, only read: each query of somebody in a transaction that can’t write. */
import type { Client, QueryArrayConfig, QueryArrayResult } from 'pg';
import { Failure } from '../../base/errors.ts';
import { type Parameters, UnusableSql } from '../../storage/read-only.ts';
import type { Cell } from '../schema/table.ts';
import type { PostgresTarget } from '../target.ts';
import { newer, readRows, telling, versionIn } from './postgres.ts';
import { shownFrom } from './postgres-cells.ts';
import { codeOf, connectTo } from './postgres-connection.ts';
import type { Sql } from './sql.ts';
import type { Reader, Rows } from './store.ts';

/** Throws `not_found` where there is no mirror in it yet. */
export async function readPostgres(target: PostgresTarget, version: number): Promise<Reader> {
  const client = await connectTo(target);
  const read = (query: Sql) => telling(target, () => readRows(client, query));

  let isStill = false;

  const rows = async (sql: string, parameters: Parameters): Promise<Rows> => {
    if (!queryForm.test(sql)) throw new UnusableSql('Only queries are run, and they change nothing.');
    const values = parameters as readonly unknown[];
    return (await cursorOf(client, target, sql, values)) ?? wholeAnswer(client, sql, values);
  };

  try {
    const found = await versionIn({ read });
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

const beginning = 'BEGIN TRANSACTION READ ONLY';

/** Rows that are asked for at a time. */
const stretch = 1000;

/**
 * Rows as they are asked for: there may be more than memory holds. Undefined where the engine has no cursor for the
 * query, or can’t run it; what it says of that is about the query alone where that runs by itself.
 */
async function cursorOf(
  client: Client,
  target: PostgresTarget,
  sql: string,
  values: readonly unknown[],
): Promise<Rows | undefined> {
  await client.query(beginning);
  const end = async () => void (await client.query('ROLLBACK').catch(() => {}));
  const declared = `DECLARE boh_query NO SCROLL CURSOR FOR ${sql}`;
  try {
    await client.query({ name: 'query', text: declared, values: [...values] });
  } catch (error) {
    await end();
    if (isAnswer(codeOf(error))) return undefined;
    throw error;
  }
  const fetch: QueryArrayConfig = { text: `FETCH ${stretch} FROM boh_query`, rowMode: 'array' };
  const next = () =>
    telling(target, () => {
      target.signal?.throwIfAborted();
      return client.query(fetch).catch(refuseSql);
    });
  const first = await next().catch(async (error) => {
    await end();
    throw error;
  });
  async function* all() {
    try {
      for (let answer = first; answer.rows.length > 0; answer = await next()) yield* cellsIn(answer);
    } finally {
      await end();
    }
  }
  return { columns: first.fields.map(({ name }) => name), rows: all() };
}

/** With values, the server takes one statement alone; a name of its own makes it so without any. */
async function wholeAnswer(client: Client, sql: string, values: readonly unknown[]): Promise<Rows> {
  await client.query(beginning);
  try {
    const whole: QueryArrayConfig = { name: 'whole', text: sql, values: [...values], rowMode: 'array' };
    const answer = await client.query(whole).catch(refuseSql);
    return { columns: answer.fields.map(({ name }) => name), rows: cellsIn(answer) };
  } finally {
    await client.query('ROLLBACK').catch(() => {});
  }
}

function cellsIn({ rows, fields }: QueryArrayResult): Cell[][] {
  return rows.map((row: unknown[]) => fields.map((field, at) => shownFrom(field, row[at])));
}

function refuseSql(error: unknown): never {
  if (isOfSql(codeOf(error)) && error instanceof Error) throw new UnusableSql(error.message);
  throw error;
}

/** Of a server that is there and goes on: whatever else keeps it from a cursor, it may answer without one. */
function isAnswer(code = ''): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && !['08', '53', '57'].includes(code.slice(0, 2));
}

/** What is wrong with the statement: syntax, names, values, rights, and what would write. */
function isOfSql(code = ''): boolean {
  return ['42', '22', '21', '0A', '25', '2F', '54'].includes(code.slice(0, 2));
}
