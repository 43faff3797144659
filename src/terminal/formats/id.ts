/** One id a line, ready for `xargs`. */
import { cleanLine } from '../clean.ts';
import { plainText, valueAt } from '../value-at.ts';
import type { Format, FormatOptions } from './shape.ts';

/** A value that is no object (after `--query`) is printed itself; an object without an id is an empty line. */
export function id({ terminal = false }: FormatOptions = {}): Format {
  const one = (value: unknown) => {
    const text = plainText(typeof value === 'object' ? valueAt(value, 'id') : value);
    return `${terminal ? cleanLine(text) : text}\n`;
  };
  return {
    one,
    async *many(values) {
      for await (const value of values) yield one(value);
    },
  };
}
