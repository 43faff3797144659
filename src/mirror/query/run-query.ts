/** A query of whoever asks, run on a mirror: read-only, one statement, with the columns told apart. */
import { type Failure, usage } from '../../errors.ts';
import { UnusableSql } from '../../storage/read-only.ts';
import type { Cell } from '../schema/table.ts';
import type { Reader } from '../stores/store.ts';
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
