/** A query of whoever asks, run on a mirror: read-only, one statement, with the columns told apart. */
import { type Failure, usage } from '../../base/errors.ts';
import type { Resource } from '../../contract/resource.ts';
import { UnusableSql } from '../../storage/read-only.ts';
import type { Mirrored } from '../schema/derive.ts';
import type { Cell } from '../schema/table.ts';
import { wordsView } from '../stores/ddl.ts';
import type { Reader } from '../stores/store.ts';
import { readStates, stateIn } from '../sync/states.ts';
import type { Bound } from './placeholders.ts';

export interface Answer {
  columns: string[];
  /** Read from the mirror as they are asked for. */
  rows: AsyncIterable<Record<string, Cell>>;
}

/** Throws a usage failure for what can’t run. */
export async function runQuery(reader: Reader, { sql, parameters }: Bound): Promise<Answer> {
  const answer = await telling(() => reader.rows(sql, parameters));
  const columns = toldApart(answer.columns);
  async function* rows() {
    try {
      for await (const cells of answer.rows) {
        yield Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? null]));
      }
    } catch (error) {
      throw told(error);
    }
  }
  return { columns, rows: rows() };
}

/** `id`, `id_2`: a join has several columns of one name, and none is to hide another. A dot would lead into a value. */
function toldApart(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((text) => {
    const name = text.replaceAll('.', '_');
    let own = name;
    for (let count = 2; taken.has(own); count++) own = `${name}_${count}`;
    taken.add(own);
    return own;
  });
}

async function telling<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw told(error);
  }
}

function told(error: unknown): Failure | unknown {
  if (!(error instanceof UnusableSql)) return error;
  const message = error.message.replace(/\.?$/, '.');
  return usage(`The query can’t run: ${message}`, {
    hint: 'The tables and their columns: boh mirror schema',
  });
}

/** Known by the words of the query, texts in it left aside: who only names a table as a column is told once too often. */
export async function unreadIn(
  sql: string,
  reader: Pick<Reader, 'read'>,
  all: readonly Mirrored[],
): Promise<Resource[]> {
  const words = new Set(
    sql
      .replaceAll(/'(?:[^']|'')*'/g, ' ')
      .toLowerCase()
      .match(/\w+/g),
  );
  const named = all.filter(({ tables }) =>
    tables.some((table) => words.has(table.name) || words.has(wordsView(table)?.name ?? table.name)),
  );
  if (named.length === 0) return [];
  const states = await readStates(reader);
  return named.flatMap(({ resource }) =>
    stateIn(states, resource.name).syncedAt === undefined ? [resource] : [],
  );
}
