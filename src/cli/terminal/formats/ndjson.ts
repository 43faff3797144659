/** Writes one JSON value per line, so that a pipe can process a list while it arrives. */
import { type Format, formatItems } from './format.ts';
import { formatJson } from './json.ts';

export const ndjson = {
  name: 'ndjson',
  isForPeople: false,
  isStreaming: true,
  isExact: true,
  needsColumns: false,
  layoutFlags: ['columns'],
  async open({ terminal = false } = {}) {
    const lineOf = (value: unknown) => `${formatJson(value, { terminal })}\n`;
    const startList = () => ({
      add: lineOf,
      addAll: (values: readonly unknown[]) => values.map(lineOf).join(''),
      end: () => '',
    });
    return { formatValue: lineOf, formatList: (values) => formatItems(startList(), values), startList };
  },
} as const satisfies Format;
