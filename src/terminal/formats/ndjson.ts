/** Writes one JSON value per line, so that a pipe can process a list while it arrives. */
import { type Format, textsOf } from './format.ts';
import { jsonText } from './json.ts';

/** The NDJSON format. */
export const ndjson = {
  name: 'ndjson',
  isForPeople: false,
  isStreaming: true,
  isExact: true,
  needsColumns: false,
  layoutFlags: ['columns'],
  async open({ terminal = false } = {}) {
    const lineOf = (value: unknown) => `${jsonText(value, { terminal })}\n`;
    const startList = () => ({
      add: lineOf,
      addAll: (values: readonly unknown[]) => values.map(lineOf).join(''),
      end: () => '',
    });
    return { valueText: lineOf, listTexts: (values) => textsOf(startList(), values), startList };
  },
} as const satisfies Format;
