/** Runs a user's query on a mirror: one read-only statement. Makes the column names of its result unique. */
import { type Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Resource } from '../../contract/resource.ts';
import { InvalidSql } from '../../storage/read-only.ts';
import type { MirroredResource } from '../schema/derive.ts';
import type { Cell } from '../schema/table.ts';
import { wordsView } from '../stores/ddl.ts';
import type { Reader } from '../stores/store.ts';
import { readStates, stateFor } from '../sync/states.ts';
import type { BoundQuery } from './placeholders.ts';

/** The result of a query. */
export interface QueryResult {
  columns: string[];
  /** The rows, which are read from the mirror on demand. */
  rows: AsyncIterable<Record<string, Cell>>;
}

/** Runs a query. Throws a usage failure if it is invalid. */
export async function runQuery(reader: Reader, { sql, parameters }: BoundQuery): Promise<QueryResult> {
  const result = await withUsageFailures(() => reader.rows(sql, parameters));
  const columns = uniqueNames(result.columns);
  async function* rows() {
    try {
      for await (const cells of result.rows) {
        yield Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? null]));
      }
    } catch (error) {
      throw queryFailure(error);
    }
  }
  return { columns, rows: rows() };
}

/**
 * Makes column names unique (`id`, `id_2`), because a join may have several columns of one name. Dots are replaced,
 * because they would mean a value inside a column.
 */
function uniqueNames(names: readonly string[]): string[] {
  const usedNames = new Set<string>();
  return names.map((columnName) => {
    const name = columnName.replaceAll('.', '_');
    let uniqueName = name;
    for (let count = 2; usedNames.has(uniqueName); count++) uniqueName = `${name}_${count}`;
    usedNames.add(uniqueName);
    return uniqueName;
  });
}

async function withUsageFailures<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw queryFailure(error);
  }
}

function queryFailure(error: unknown): Failure | unknown {
  if (!(error instanceof InvalidSql)) return error;
  const message = error.message.replace(/\.?$/, '.');
  return usage(`The query failed: ${message}`, {
    hint: boh.hint`To list tables and columns: ${boh.mirror('mirror schema')}`,
  });
}

/**
 * Returns the resources in a query whose lists haven't been read yet. It compares the query's words outside of
 * strings with the names of tables, so a column with a table's name counts too.
 */
export async function unreadResources(
  sql: string,
  reader: Pick<Reader, 'read'>,
  resources: readonly MirroredResource[],
): Promise<Resource[]> {
  const queryWords = new Set(
    sql
      .replaceAll(/'(?:[^']|'')*'/g, ' ')
      .toLowerCase()
      .match(/\w+/g),
  );
  const namedResources = resources.filter(({ tables }) =>
    tables.some(
      (table) => queryWords.has(table.name) || queryWords.has(wordsView(table)?.name ?? table.name),
    ),
  );
  if (namedResources.length === 0) return [];
  const states = await readStates(reader);
  return namedResources.flatMap(({ resource }) =>
    stateFor(states, resource.name).syncedAt === undefined ? [resource] : [],
  );
}
