/** SQL for both engines, written as templates: values become parameters, and never a part of the text. */
import { quoted } from '../../storage/quoted.ts';
import type { Cell } from '../schema/table.ts';
import type { Dialect } from './ddl.ts';

/** A statement or a part of one. */
export class Sql {
  /** One more than there are values: each value stands between two. */
  readonly texts: readonly string[];
  readonly values: readonly Cell[];

  constructor(texts: readonly string[], values: readonly Cell[] = []) {
    this.texts = texts;
    this.values = values;
  }

  /** The text with the engine's parameters in the place of the values. */
  textFor(dialect: Dialect): string {
    return this.texts.reduce((text, next, at) => text + parameter(dialect, at) + next);
  }
}

/** The parameter at a place counted from 1. */
export function parameter(dialect: Dialect, place: number): string {
  return dialect === 'sqlite' ? '?' : `$${place}`;
}

/** A template's `${}` takes a value, a list of values in parentheses, or a part of a statement. */
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

/** The name of a table or column; of several, each is of the one before. */
export function name(...names: readonly string[]): Sql {
  return new Sql([names.map(quoted).join('.')]);
}

/** Parts with the same text between them. Each has to be whole by itself. */
export function joined(parts: readonly Sql[], between: string): Sql {
  return parts.reduce((all, part) => sql`${all}${new Sql([between])}${part}`);
}

/** ` WHERE` with conditions that all hold; nothing where there are none. */
export function where(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? new Sql(['']) : sql` WHERE ${joined(conditions, ' AND ')}`;
}
