/** The format for people. The code that draws it is loaded when it is opened. */
import type { Format } from './format.ts';

export const table = {
  name: 'table',
  isForPeople: true,
  isStreaming: false,
  isExact: false,
  needsColumns: true,
  layoutFlags: ['columns', 'wide', 'localTime'],
  async open(options) {
    const { createTableWriter } = await import('../table-writer.ts');
    return createTableWriter(options);
  },
} as const satisfies Format;
