/** Writes few bytes for programs with a budget of tokens: a header with the number of rows and the columns, then a line for each. */
import { isObject } from '../../../base/number-text.ts';
import { cleanLine } from '../clean.ts';
import { cellAt, columnsOf } from '../tabulate.ts';
import { formatPlain } from '../value-at.ts';
import type { Format } from './format.ts';

export const compact = {
  name: 'compact',
  isForPeople: false,
  // The header has the number of rows.
  isStreaming: false,
  isExact: false,
  needsColumns: true,
  layoutFlags: ['columns'],
  async open({ columns } = {}) {
    const requestedNames = columns?.map(({ name }) => name);
    return {
      formatValue: (value) =>
        isObject(value)
          ? columnsOf([value])
              .map((name) => [name, cellText(cellAt(value, name))])
              .filter(([, text]) => text !== '')
              .map(([name, text]) => `${cleanLine(name ?? '')}: ${text}\n`)
              .join('')
          : `${cellText(value)}\n`,
      async *formatList(values) {
        const rows = await Array.fromAsync(values);
        const names = requestedNames ?? columnsOf(rows);
        yield `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}: ${names.map(cleanLine).join('|')}\n`;
        for (const row of rows)
          yield `${names.map((name) => cellText(cellAt(row, name)).replaceAll('|', '\\|')).join('|')}\n`;
      },
    };
  },
} as const satisfies Format;

/** Returns a value on one line; of a related record only its name or ID. */
function cellText(value: unknown): string {
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  if (isObject(value)) {
    const { name, id } = value as { name?: unknown; id?: unknown };
    return cleanLine(formatPlain(name ?? id ?? value));
  }
  return cleanLine(formatPlain(value));
}
