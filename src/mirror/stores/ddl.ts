/** The statements that make a mirror’s tables, each a transaction of its own: one for each table, column, index and view. */
import { quoted } from '../../storage/quoted.ts';
import type { Column, SqlType, Table } from '../schema/table.ts';
import { idColumn } from '../schema/table.ts';

export type Dialect = 'sqlite' | 'postgres';

/**
 * In SQLite moments stay the texts that they are. Decimal numbers are doubles: `numeric` would make whole numbers of some
 * of them, which it divides without a fraction; see numbers.ts.
 */
const types: Readonly<Record<Dialect, Partial<Record<SqlType, string>>>> = {
  sqlite: { numeric: 'real', timestamptz: 'text' },
  postgres: {},
};

export function typeIn(dialect: Dialect, type: SqlType): string {
  return types[dialect][type] ?? type;
}

/**
 * With what tables and columns are for, where the engine keeps that in the statement itself. Short rows, as those of links
 * are, stand in SQLite inside of their primary key: one tree to keep in order, in place of two. With a `width` what
 * doesn’t fit beside a column stands above it.
 */
export function createTable(
  dialect: Dialect,
  { name, about, columns, owner }: Table,
  width = Infinity,
): string {
  const lines = columns.map((column, at) => {
    const comma = at === columns.length - 1 ? '' : ',';
    return withRemark(`  ${defined(dialect, column)}${comma}`, remark(dialect, column.about), width);
  });
  const head = withRemark(`CREATE TABLE IF NOT EXISTS ${quoted(name)} (`, remark(dialect, about), width);
  return `${head}\n${lines.join('\n')}\n)${dialect === 'sqlite' && owner !== undefined ? ' WITHOUT ROWID' : ''}`;
}

function withRemark(line: string, remark: string, width: number): string {
  if (line.length + remark.length <= width) return line + remark;
  const [inside = ''] = /^ */.exec(line) ?? [];
  const lines: string[] = [];
  for (const word of remark.trim().split(' ').slice(1)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${inside}-- ${word}`);
  }
  return [...lines, line].join('\n');
}

export function addColumn(dialect: Dialect, table: Table, column: Column): string {
  return `ALTER TABLE ${quoted(table.name)} ADD COLUMN ${defined(dialect, column)}`;
}

function defined(dialect: Dialect, { name, type }: Column): string {
  return `${quoted(name)} ${typeIn(dialect, type)}${name === idColumn ? ' NOT NULL PRIMARY KEY' : ''}`;
}

function remark(dialect: Dialect, about: string): string {
  return dialect === 'sqlite' && about !== '' ? ` -- ${about.replaceAll('\n', ' ')}` : '';
}

export interface Index {
  name: string;
  sql: string;
}

/** By the record that the rows belong to, and by what they lead to; of records by what shows them, too. */
export function indexesOf({ name, columns, owner }: Table): Index[] {
  const led = columns.filter((column) => column.name.endsWith('_id') && column.type === 'text');
  const sought = columns.filter(({ isSought }) => isSought);
  return (owner === undefined ? sought : led).map((column) => {
    const index = `${name}_by_${column.name}`;
    return {
      name: index,
      sql: `CREATE INDEX IF NOT EXISTS ${quoted(index)} ON ${quoted(name)} (${quoted(column.name)})`,
    };
  });
}

export function comments({ name, about, columns }: Table): string[] {
  return [
    `COMMENT ON TABLE ${quoted(name)} IS ${text(about)}`,
    ...columns.map(
      (column) => `COMMENT ON COLUMN ${quoted(name)}.${quoted(column.name)} IS ${text(column.about)}`,
    ),
  ];
}

/** A table with the words beside its codes. */
export interface WordsView {
  name: string;
  sql: string;
}

/** Undefined where there are no codes. */
export function wordsView({ name, columns }: Table): WordsView | undefined {
  const coded = columns.filter(({ words }) => words !== undefined);
  if (coded.length === 0) return undefined;
  const view = `${name}_in_words`;
  const all = columns.flatMap((column) => {
    const own = quoted(column.name);
    if (!column.words) return [own];
    const cases = Object.entries(column.words).map(([word, code]) => `WHEN ${code} THEN ${text(word)}`);
    return [own, `CASE ${own} ${cases.join(' ')} END AS ${quoted(`${column.name}_word`)}`];
  });
  return { name: view, sql: `CREATE VIEW ${quoted(view)} AS SELECT ${all.join(', ')} FROM ${quoted(name)}` };
}

export function dropView({ name }: WordsView): string {
  return `DROP VIEW IF EXISTS ${quoted(name)}`;
}

export function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
