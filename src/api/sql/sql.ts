/** Builds SQL for both engines from templates. Values become parameters, never parts of the SQL. */
import type { Cell } from '../../base/storage/database.ts';
import { quoteName } from '../../base/storage/quote-name.ts';

/** The SQL dialect of an engine. */
export type Dialect = 'sqlite' | 'postgres';

/** A statement or a part of one. */
export class Sql {
  /** The strings around the values: one more than there are values. */
  readonly strings: readonly string[];
  readonly values: readonly Cell[];

  constructor(strings: readonly string[], values: readonly Cell[] = []) {
    this.strings = strings;
    this.values = values;
  }

  /** Returns the SQL with the engine's placeholders for the values. */
  textFor(dialect: Dialect): string {
    return this.strings.reduce((text, part, index) => text + placeholder(dialect, index) + part);
  }
}

/** Returns the placeholder of the parameter with this number, counted from 1. */
export function placeholder(dialect: Dialect, number: number): string {
  return dialect === 'sqlite' ? '?' : `$${number}`;
}

/**
 * Builds SQL from a template: `${}` takes a value, a list of values (put in parentheses), or a part of a statement.
 */
export function sql(strings: readonly string[], ...parts: readonly (Cell | readonly Cell[] | Sql)[]): Sql {
  const [firstString = '', ...laterStrings] = strings;
  const joinedStrings = [firstString];
  const values: Cell[] = [];
  const append = (text: string) => joinedStrings.push(`${joinedStrings.pop()}${text}`);
  for (const [index, part] of parts.entries()) {
    const partSql = part instanceof Sql ? part : isList(part) ? listSql(part) : new Sql(['', ''], [part]);
    const [firstPartString = '', ...laterPartStrings] = partSql.strings;
    append(firstPartString);
    for (const text of laterPartStrings) joinedStrings.push(text);
    for (const value of partSql.values) values.push(value);
    append(laterStrings[index] ?? '');
  }
  return new Sql(joinedStrings, values);
}

function isList(part: Cell | readonly Cell[]): part is readonly Cell[] {
  return Array.isArray(part);
}

function listSql(values: readonly Cell[]): Sql {
  return new Sql(values.length === 0 ? ['()'] : ['(', ...values.slice(1).map(() => ', '), ')'], values);
}

/** Returns the quoted name of a table or column, or several names joined by dots. */
export function identifier(...names: readonly string[]): Sql {
  return new Sql([names.map(quoteName).join('.')]);
}

/** Joins parts with a separator. Each part must be valid by itself. */
export function joinSql(parts: readonly Sql[], separator: string): Sql {
  return parts.reduce((joined, part) => sql`${joined}${new Sql([separator])}${part}`);
}

/** Returns ` WHERE` with conditions joined by AND; empty SQL without conditions. */
export function where(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? new Sql(['']) : sql` WHERE ${joinSql(conditions, ' AND ')}`;
}
