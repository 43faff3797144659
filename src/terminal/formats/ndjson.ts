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
    const one = (value: unknown) => `${jsonText(value, { terminal })}\n`;
    const list = () => ({
      add: one,
      addAll: (values: readonly unknown[]) => values.map(one).join(''),
      end: () => '',
    });
    return { valueText: one, listTexts: (values) => textsOf(list(), values), startList: list };
  },
} as const satisfies Format;
