/** Runs a user's query on a mirror: one read-only statement, with the values of its parameters. */

import type { Resource } from '../../../api/contract/resource.ts';
import type { Dialect } from '../../../api/sql/sql.ts';
import { type Failure, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { InvalidSql } from '../../../base/storage/read-only.ts';
import type { MirroredResource } from '../schema/derive.ts';
import type { Cell } from '../schema/table.ts';
import { viewsOf } from '../stores/ddl.ts';
import type { Reader } from '../stores/store.ts';
import { readStates, stateFor } from '../sync/states.ts';

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
  // SQLite has other words for a query that ends too early or has an unclosed quote.
  const isSyntax = /^(unrecognized token|incomplete input)/.test(message);
  return usage(`The query failed: ${isSyntax ? 'syntax error: ' : ''}${message}`, {
    hint: boh.hint`To list tables and columns: ${boh.mirror('mirror schema')}`,
  });
}

/**
 * Returns the resources in a query whose lists haven't been read yet. It compares the query's words outside of
 * strings with the names of tables, so a column with a table's name counts too.
 */
export async function unreadResources(
  sql: string,
  reader: Pick<Reader, 'read' | 'dialect'>,
  resources: readonly MirroredResource[],
): Promise<Resource[]> {
  const isNamed = namesIn(sql);
  const namedResources = resources.filter(({ tables }) =>
    tables.some(
      (table) => isNamed(table.name) || viewsOf(reader.dialect, table).some(({ name }) => isNamed(name)),
    ),
  );
  if (namedResources.length === 0) return [];
  const states = await readStates(reader);
  return namedResources.flatMap(({ resource }) =>
    stateFor(states, resource.name).syncedAt === undefined ? [resource] : [],
  );
}

/** Returns a function that returns whether the query contains a name outside of strings. */
export function namesIn(sql: string): (name: string) => boolean {
  const withoutStrings = sql.replaceAll(/'(?:[^']|'')*'/g, ' ');
  const queryWords = new Set(withoutStrings.toLowerCase().match(/\w+/g));
  return (name) => queryWords.has(name);
}

/** A query with the engine's placeholders, and its values. */
export interface BoundQuery {
  sql: string;
  parameters: Cell[];
}

/** Matches the tokens to skip (strings, quoted names, comments, casts such as `::text`), and the parameters. */
const commonTokens =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|::|:(?<name>[A-Za-z_]\w*)|\?(?!\d)/;

/** Matches SQLite's other quotes, and its other parameters, which are refused because SQLite would use null for them. */
const sqliteTokens = /`[^`]*`|\[[^\]]*\]|(?<unsupported>[@$][A-Za-z_]\w*|\?\d+)/;

/** Matches PostgreSQL's strings in dollar quotes or with backslash escapes, and its own parameters, which are refused. */
const postgresTokens =
  /(?<unsupported>\$\d+)|\$(?<tag>(?:[A-Za-z_]\w*)?)\$[\s\S]*?\$\k<tag>\$|\b[eE]'(?:[^'\\]|\\[\s\S]|'')*'/;

const tokenPatterns: Readonly<Record<Dialect, RegExp>> = {
  sqlite: new RegExp(`${sqliteTokens.source}|${commonTokens.source}`, 'g'),
  postgres: new RegExp(`${postgresTokens.source}|${commonTokens.source}`, 'g'),
};

/**
 * Returns the query with its values, from `:name` or `?`. Throws a usage failure if a parameter has no value, or a value
 * has no parameter.
 */
export function bindParameters(
  dialect: Dialect,
  sql: string,
  namedValues: ReadonlyMap<string, string>,
  positionalValues: readonly string[],
): BoundQuery {
  const parameters: Cell[] = [];
  const positions = new Map<string, number>();
  const missingValues = new Set<string>();
  let positionalCount = 0;
  const addParameter = (value: string) => {
    parameters.push(parseCell(value));
    return parameters.length;
  };
  const unsupportedParameters = new Set<string>();
  const boundSql = sql.replaceAll(tokenPatterns[dialect], (token: string, ...groups: unknown[]) => {
    const { name, unsupported } = groups.at(-1) as { name?: string; unsupported?: string };
    if (unsupported !== undefined) unsupportedParameters.add(unsupported);
    if (name !== undefined) {
      const value = namedValues.get(name);
      if (value === undefined) missingValues.add(`:${name}`);
      const position = positions.get(name) ?? addParameter(value ?? '');
      positions.set(name, position);
      return placeholder(dialect, position);
    }
    if (token !== '?') return token;
    const value = positionalValues[positionalCount++];
    if (value === undefined) missingValues.add(`parameter ${positionalCount}`);
    return placeholder(dialect, addParameter(value ?? ''));
  });
  if (unsupportedParameters.size > 0) {
    throw usage(`The query has unsupported parameters: ${[...unsupportedParameters].join(', ')}.`, {
      hint: 'Use :NAME with --param NAME=VALUE, or ? with values after the query.',
    });
  }
  const unusedValues = [...namedValues.keys()]
    .filter((name) => !positions.has(name))
    .map((name) => `--param ${name}`);
  if (positionalCount < positionalValues.length)
    unusedValues.push(...positionalValues.slice(positionalCount).map((value) => `"${value}"`));
  if (missingValues.size > 0) {
    throw usage(`Missing values for ${[...missingValues].join(', ')}.`, {
      hint: 'Add --param NAME=VALUE for each :NAME, and the values of ? after the query, in order.',
    });
  }
  if (unusedValues.length > 0) throw usage(`The query has no parameter for ${unusedValues.join(', ')}.`);
  return { sql: boundSql, parameters };
}

/** Returns a number for text that is written as one, such as 12.5. Other text, such as 0551, stays text. */
function parseCell(value: string): Cell {
  const number = Number(value);
  return /^-?\d+(\.\d+)?$/.test(value) && String(number) === value ? number : value;
}

function placeholder(dialect: Dialect, position: number): string {
  return dialect === 'sqlite' ? `?${position}` : `$${position}`;
}
