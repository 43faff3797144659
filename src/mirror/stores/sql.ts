/** Builds SQL for both engines from templates. Values become parameters and never part of the text. */
import { quoteName } from '../../storage/quote-name.ts';
import type { Cell } from '../schema/table.ts';
import type { Dialect } from './ddl.ts';

/** A statement or a part of one. */
export class Sql {
  /** The texts around the values: one more than there are values. */
  readonly texts: readonly string[];
  readonly values: readonly Cell[];

  constructor(texts: readonly string[], values: readonly Cell[] = []) {
    this.texts = texts;
    this.values = values;
  }

  /** Returns the text with the engine's parameters in place of the values. */
  textFor(dialect: Dialect): string {
    return this.texts.reduce((text, next, at) => text + parameter(dialect, at) + next);
  }
}

/** Returns the parameter with this number, counted from 1. */
export function parameter(dialect: Dialect, number: number): string {
  return dialect === 'sqlite' ? '?' : `$${number}`;
}

/**
 * Builds SQL from a template: `${}` takes a value, a list of values (put in parentheses), or a part of a statement.
 */
export function sql(texts: readonly string[], ...parts: readonly (Cell | readonly Cell[] | Sql)[]): Sql {
  const [first = '', ...rest] = texts;
  const all = [first];
  const values: Cell[] = [];
  const append = (text: string) => all.push(`${all.pop()}${text}`);
  for (const [at, part] of parts.entries()) {
    const inner = part instanceof Sql ? part : isList(part) ? listOf(part) : new Sql(['', ''], [part]);
    const [start = '', ...further] = inner.texts;
    append(start);
    for (const text of further) all.push(text);
    for (const value of inner.values) values.push(value);
    append(rest[at] ?? '');
  }
  return new Sql(all, values);
}

function isList(part: Cell | readonly Cell[]): part is readonly Cell[] {
  return Array.isArray(part);
}

function listOf(values: readonly Cell[]): Sql {
  return new Sql(values.length === 0 ? ['()'] : ['(', ...values.slice(1).map(() => ', '), ')'], values);
}

/** Returns a quoted name of a table or column, or several names joined by dots. */
export function name(...names: readonly string[]): Sql {
  return new Sql([names.map(quoteName).join('.')]);
}

/** Joins parts with a text between them. Each part must be valid on its own. */
export function joined(parts: readonly Sql[], separator: string): Sql {
  return parts.reduce((all, part) => sql`${all}${new Sql([separator])}${part}`);
}

/** Returns ` WHERE` with conditions that must all hold, or nothing without conditions. */
export function where(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? new Sql(['']) : sql` WHERE ${joined(conditions, ' AND ')}`;
}
