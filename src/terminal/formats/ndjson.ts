/** One JSON value a line, for pipes that work while the list is still arriving. */
import { jsonText } from './json.ts';
import type { Format, FormatOptions } from './shape.ts';

export function ndjson({ terminal = false }: FormatOptions = {}): Format {
  const one = (value: unknown) => `${jsonText(value, { terminal })}\n`;
  return {
    one,
    async *many(values) {
      for await (const value of values) yield one(value);
    },
  };
}
