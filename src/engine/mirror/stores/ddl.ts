/**
 * Builds the statements that create a mirror's tables: one for each table, column, index and view, each in a transaction of
 * its own. Also builds the statements that change rows.
 */
import { type Dialect, placeholder } from '../../../api/sql/sql.ts';
import { quoteName } from '../../../base/storage/quote-name.ts';
import { type Column, columnNames, idColumn, type SqlType, type Table } from '../schema/table.ts';
import { versionsName, versionsQuery } from '../schema/versions.ts';
import type { StoreChange } from './store.ts';

/**
 * Column types that have another name in an engine. SQLite stores timestamps as text and decimal numbers as doubles: as
 * `numeric`, some would become integers, whose division drops the fraction (see numbers.ts).
 */
const typeNames: Readonly<Record<Dialect, Partial<Record<SqlType, string>>>> = {
  sqlite: { numeric: 'real', timestamptz: 'text' },
  postgres: {},
};

export function sqlTypeName(dialect: Dialect, type: SqlType): string {
  return typeNames[dialect][type] ?? type;
}

/**
 * Returns the CREATE TABLE statement. For SQLite it contains the descriptions as comments, and a table that belongs
 * to another one stores its short rows in the primary key (WITHOUT ROWID), so that it has one B-tree instead of two. A
 * comment that doesn't fit into `width` characters goes above its column.
 */
export function createTableStatement(
  dialect: Dialect,
  { name, about, columns, owner }: Table,
  width = Infinity,
): string {
  const lines = columns.map((column, index) => {
    const comma = index === columns.length - 1 ? '' : ',';
    return withComment(
      `  ${columnDefinition(dialect, column)}${comma}`,
      sqlComment(dialect, columnComment(column)),
      width,
    );
  });
  const header = withComment(
    `CREATE TABLE IF NOT EXISTS ${quoteName(name)} (`,
    sqlComment(dialect, about),
    width,
  );
  return `${header}\n${lines.join('\n')}\n)${dialect === 'sqlite' && owner !== undefined ? ' WITHOUT ROWID' : ''}`;
}

function withComment(line: string, comment: string, width: number): string {
  if (line.length + comment.length <= width) return line + comment;
  const [indent = ''] = /^ */.exec(line) ?? [];
  const lines: string[] = [];
  for (const word of comment.trim().split(' ').slice(1)) {
    const lastLine = lines.at(-1);
    if (lastLine !== undefined && lastLine.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${lastLine} ${word}`;
    else lines.push(`${indent}-- ${word}`);
  }
  return [...lines, line].join('\n');
}

export function addColumnStatement(dialect: Dialect, table: Table, column: Column): string {
  return `ALTER TABLE ${quoteName(table.name)} ADD COLUMN ${columnDefinition(dialect, column)}`;
}

function columnDefinition(dialect: Dialect, { name, type }: Column): string {
  return `${quoteName(name)} ${sqlTypeName(dialect, type)}${name === idColumn ? ' NOT NULL PRIMARY KEY' : ''}`;
}

function sqlComment(dialect: Dialect, about: string): string {
  return dialect === 'sqlite' && about !== '' ? ` -- ${about.replaceAll('\n', ' ')}` : '';
}

/** Returns the description of a column, and the table whose IDs it contains. */
function columnComment({ about, references }: Column): string {
  return references === undefined ? about : `${about}; references ${references}`;
}

/** An index and the statement that creates it. */
export interface TableIndex {
  name: string;
  sql: string;
}

/**
 * Returns the indexes of a table. A table that belongs to another one is indexed by its owner and by the records it
 * refers to; a record's table by the columns marked `isIndexed`.
 */
export function indexesOf({ name, columns, owner }: Table): TableIndex[] {
  const referenceColumns = columns.filter((column) => column.name.endsWith('_id') && column.type === 'text');
  const indexedColumns = columns.filter(({ isIndexed }) => isIndexed);
  return (owner === undefined ? indexedColumns : referenceColumns).map((column) => {
    const index = `${name}_by_${column.name}`;
    return {
      name: index,
      sql: `CREATE INDEX IF NOT EXISTS ${quoteName(index)} ON ${quoteName(name)} (${quoteName(column.name)})`,
    };
  });
}

/** Returns the statements that store the descriptions in PostgreSQL. */
export function commentStatements({ name, about, columns }: Table): string[] {
  return [
    `COMMENT ON TABLE ${quoteName(name)} IS ${textLiteral(about)}`,
    ...columns.map(
      (column) =>
        `COMMENT ON COLUMN ${quoteName(name)}.${quoteName(column.name)} IS ${textLiteral(columnComment(column))}`,
    ),
  ];
}

/** A view, with its query. */
export interface View {
  name: string;
  query: string;
}

/** Returns the views of a table: the words next to its codes, and the versions of its rows. */
export function viewsOf(dialect: Dialect, table: Table): View[] {
  const versions = { name: versionsName(table), query: versionsQuery(dialect, table) };
  return [...(wordsView(table) ?? []), ...(table.resource === undefined ? [] : [versions])];
}

/** Returns the view of a table that has the words next to the codes; none if the table has no codes. */
function wordsView({ name, columns }: Table): [View] | undefined {
  const codeColumns = columns.filter(({ words }) => words !== undefined);
  if (codeColumns.length === 0) return undefined;
  const selectedColumns = columns.flatMap((column) => {
    const columnSql = quoteName(column.name);
    if (!column.words) return [columnSql];
    const cases = Object.entries(column.words).map(
      ([word, code]) => `WHEN ${code} THEN ${textLiteral(word)}`,
    );
    return [columnSql, `CASE ${columnSql} ${cases.join(' ')} END AS ${quoteName(`${column.name}_word`)}`];
  });
  return [
    {
      name: `${name}_in_words`,
      query: `SELECT ${selectedColumns.join(', ')} FROM ${quoteName(name)}`,
    },
  ];
}

export function createViewStatement({ name, query }: View): string {
  return `CREATE VIEW ${quoteName(name)} AS ${query}`;
}

export function dropViewStatement({ name }: View): string {
  return `DROP VIEW IF EXISTS ${quoteName(name)}`;
}

export function textLiteral(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/**
 * Returns the statement that upserts rows. Its values are those of all rows, one after the other, each row's in the order
 * of the columns.
 */
export function putStatement(dialect: Dialect, table: Table, rowCount: number): string {
  const names = columnNames(table);
  const rows = Array.from({ length: rowCount }, (_, index) =>
    parameters(dialect, names.length, index * names.length),
  );
  const assignments = table.columns.flatMap(({ name, keeps }) => {
    const [newCell, oldCell] = [`excluded.${quoteName(name)}`, `${quoteName(table.name)}.${quoteName(name)}`];
    const cells = keeps === 'first' ? [oldCell, newCell] : [newCell, oldCell];
    return name === idColumn
      ? []
      : [`${quoteName(name)} = ${keeps ? `coalesce(${cells.join(', ')})` : newCell}`];
  });
  // Without OR FAIL, SQLite would copy the changed pages of each statement, to be able to roll back only that statement.
  // Here, the whole transaction is rolled back in any case.
  const insert = dialect === 'sqlite' ? 'INSERT OR FAIL INTO' : 'INSERT INTO';
  return `${insert} ${quoteName(table.name)} (${names.map(quoteName).join(', ')}) VALUES ${rows.join(', ')}
    ON CONFLICT (${quoteName(idColumn)}) DO UPDATE SET ${assignments.join(', ')}`;
}

/** Returns the statement that deletes the rows whose column has one of some values. */
export function dropStatement(dialect: Dialect, table: Table, column: string, valueCount: number): string {
  return `DELETE FROM ${quoteName(table.name)} WHERE ${quoteName(column)} IN ${parameters(dialect, valueCount)}`;
}

export function changeAllStatement(change: Extract<StoreChange, { kind: 'blank' | 'clear' }>): string {
  const name = quoteName(change.table.name);
  if (change.kind === 'clear') return `DELETE FROM ${name}`;
  return `UPDATE ${name} SET ${change.columns.map((column) => `${quoteName(column)} = NULL`).join(', ')}`;
}

function parameters(dialect: Dialect, count: number, offset = 0): string {
  const placeholders = Array.from({ length: count }, (_, index) => placeholder(dialect, offset + index + 1));
  return `(${placeholders.join(', ')})`;
}
