/** Binds the parameters of a user's query: `:name`, or `?` in order, written in the engine's form. */
import { usage } from '../../base/errors.ts';
import type { Cell } from '../schema/table.ts';
import type { Dialect } from '../stores/ddl.ts';

/** A query in the engine's form, with its values. */
export interface BoundQuery {
  sql: string;
  parameters: Cell[];
}

/** Matches what is skipped (texts, quoted names, comments, casts such as `::text`), and then the parameters. */
const commonTokens =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|::|:(?<name>[A-Za-z_]\w*)|\?(?!\d)/;

/** SQLite has more kinds of quotes. It would use null for other forms of parameters, so those are refused. */
const sqliteTokens = /`[^`]*`|\[[^\]]*\]|(?<other>[@$][A-Za-z_]\w*|\?\d+)/;

/** Texts between dollar signs, and texts in which a backslash escapes the quote. */
const postgresTokens =
  /(?<other>\$\d+)|\$(?<tag>(?:[A-Za-z_]\w*)?)\$[\s\S]*?\$\k<tag>\$|\b[eE]'(?:[^'\\]|\\[\s\S]|'')*'/;

const tokensOf: Readonly<Record<Dialect, RegExp>> = {
  sqlite: new RegExp(`${sqliteTokens.source}|${commonTokens.source}`, 'g'),
  postgres: new RegExp(`${postgresTokens.source}|${commonTokens.source}`, 'g'),
};

/**
 * Returns the query with its values. Throws a usage failure if a parameter has no value or a value has no parameter.
 */
export function bindParameters(
  dialect: Dialect,
  sql: string,
  named: ReadonlyMap<string, string>,
  listed: readonly string[],
): BoundQuery {
  const parameters: Cell[] = [];
  const positions = new Map<string, number>();
  const missing = new Set<string>();
  let count = 0;
  const addParameter = (value: string) => {
    parameters.push(cellOf(value));
    return parameters.length;
  };
  const unsupported = new Set<string>();
  const text = sql.replaceAll(tokensOf[dialect], (token: string, ...groups: unknown[]) => {
    const { name, other } = groups.at(-1) as { name?: string; other?: string };
    if (other !== undefined) unsupported.add(other);
    if (name !== undefined) {
      const value = named.get(name);
      if (value === undefined) missing.add(`:${name}`);
      const at = positions.get(name) ?? addParameter(value ?? '');
      positions.set(name, at);
      return parameter(dialect, at);
    }
    if (token !== '?') return token;
    const value = listed[count++];
    if (value === undefined) missing.add(`? number ${count}`);
    return parameter(dialect, addParameter(value ?? ''));
  });
  if (unsupported.size > 0) {
    throw usage(`The query has unsupported parameters: ${[...unsupported].join(', ')}.`, {
      hint: 'Use :NAME with --param NAME=VALUE, or ? with values after the query.',
    });
  }
  const unused = [...named.keys()].filter((name) => !positions.has(name)).map((name) => `--param ${name}`);
  if (count < listed.length) unused.push(...listed.slice(count).map((value) => `“${value}”`));
  if (missing.size > 0) {
    throw usage(`Missing values for ${[...missing].join(', ')}.`, {
      hint: 'Add --param NAME=VALUE for each, or the values of the question marks after the query.',
    });
  }
  if (unused.length > 0) throw usage(`The query has no parameter for ${unused.join(', ')}.`);
  return { sql: text, parameters };
}

/** Returns a number for text that is written as one, such as 12.5. Other text, such as 0551, stays text. */
function cellOf(value: string): Cell {
  const number = Number(value);
  return /^-?\d+(\.\d+)?$/.test(value) && String(number) === value ? number : value;
}

function parameter(dialect: Dialect, at: number): string {
  return dialect === 'sqlite' ? `?${at}` : `$${at}`;
}
