/** One JSON value a line, for pipes that work while the list is still arriving. */
import type { Format } from './format.ts';
import { jsonText } from './json.ts';

export const ndjson = {
  name: 'ndjson',
  isForPeople: false,
  isStreaming: true,
  isExact: true,
  needsColumns: false,
  choices: ['columns'],
  async open({ terminal = false } = {}) {
    const one = (value: unknown) => `${jsonText(value, { terminal })}\n`;
    return {
      one,
      async *many(values) {
        for await (const value of values) yield one(value);
      },
    };
  },
} as const satisfies Format;
