/** One id a line, ready for `xargs`. */
import { cleanLine } from '../clean.ts';
import { plainText, valueAt } from '../value-at.ts';
import type { Format } from './format.ts';

export const id = {
  name: 'id',
  isForPeople: false,
  isStreaming: true,
  isExact: false,
  needsColumns: false,
  choices: [],
  async open({ terminal = false } = {}) {
    const one = (value: unknown) => {
      const text = idOf(value);
      return `${terminal ? cleanLine(text) : text}\n`;
    };
    return {
      one,
      async *many(values) {
        for await (const value of values) yield one(value);
      },
    };
  },
} as const satisfies Format;

/** A value that is no object (after `--query`) is its own id; an object without an id is an empty line. */
function idOf(value: unknown): string {
  return plainText(typeof value === 'object' ? valueAt(value, 'id') : value);
}
