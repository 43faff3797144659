/** The parameters of a query that somebody has written: `:name`, or `?` one after the other, as the engine wants them. */
import { usage } from '../../base/errors.ts';
import type { Cell } from '../schema/table.ts';
import type { Dialect } from '../stores/ddl.ts';

export interface Bound {
  sql: string;
  parameters: Cell[];
}

/** Texts, names and comments, which are passed over, and casts such as `::text`; then what stands for a value. */
const common = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|::|:(?<name>[A-Za-z_]\w*)|\?(?!\d)/;

/** SQLite has more quotes. Other forms of parameters than ours are refused: it would take what nobody gave for nothing. */
const ofSqlite = /`[^`]*`|\[[^\]]*\]|(?<other>[@$][A-Za-z_]\w*|\?\d+)/;

/** Texts between dollars, and those in which a backslash takes the quote behind it along. */
const ofPostgres =
  /(?<other>\$\d+)|\$(?<tag>(?:[A-Za-z_]\w*)?)\$[\s\S]*?\$\k<tag>\$|\b[eE]'(?:[^'\\]|\\[\s\S]|'')*'/;

const tokensOf: Readonly<Record<Dialect, RegExp>> = {
  sqlite: new RegExp(`${ofSqlite.source}|${common.source}`, 'g'),
  postgres: new RegExp(`${ofPostgres.source}|${common.source}`, 'g'),
};

/** Throws a usage failure where a parameter has no value, or a value no parameter. */
export function bindParameters(
  dialect: Dialect,
  sql: string,
  named: ReadonlyMap<string, string>,
  listed: readonly string[],
): Bound {
  const parameters: Cell[] = [];
  const places = new Map<string, number>();
  const lacking = new Set<string>();
  let count = 0;
  const place = (value: string) => {
    parameters.push(cellOf(value));
    return parameters.length;
  };
  const others = new Set<string>();
  const written = sql.replaceAll(tokensOf[dialect], (token: string, ...found: unknown[]) => {
    const { name, other } = found.at(-1) as { name?: string; other?: string };
    if (other !== undefined) others.add(other);
    if (name !== undefined) {
      const value = named.get(name);
      if (value === undefined) lacking.add(`:${name}`);
      const at = places.get(name) ?? place(value ?? '');
      places.set(name, at);
      return mark(dialect, at);
    }
    if (token !== '?') return token;
    const value = listed[count++];
    if (value === undefined) lacking.add(`the ${count}. ?`);
    return mark(dialect, place(value ?? ''));
  });
  if (others.size > 0) {
    throw usage(`Values don’t stand in a query as ${[...others].join(', ')}.`, {
      hint: 'Write :NAME with --param NAME=VALUE, or ? with the values behind the query.',
    });
  }
  const unused = [...named.keys()].filter((name) => !places.has(name)).map((name) => `--param ${name}`);
  if (count < listed.length) unused.push(...listed.slice(count).map((value) => `“${value}”`));
  if (lacking.size > 0) {
    throw usage(`There is no value for ${[...lacking].join(', ')}.`, {
      hint: 'Give each with --param NAME=VALUE, or behind the query in the order of its question marks.',
    });
  }
  if (unused.length > 0) throw usage(`The query has no parameter for ${unused.join(', ')}.`);
  return { sql: written, parameters };
}

/** Numbers are numbers where they are written as such: 12.5. What is written otherwise, such as 0551, stays the text that it is. */
function cellOf(value: string): Cell {
  const number = Number(value);
  return /^-?\d+(\.\d+)?$/.test(value) && String(number) === value ? number : value;
}

function mark(dialect: Dialect, at: number): string {
  return dialect === 'sqlite' ? `?${at}` : `$${at}`;
}
