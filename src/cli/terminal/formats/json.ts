/** Writes JSON with an indent of two spaces, and lists as they arrive. */
import { escapeText } from '../clean.ts';
import { type Format, formatItems, type ListWriter } from './format.ts';

export const json = {
  name: 'json',
  isForPeople: false,
  isStreaming: true,
  isExact: true,
  needsColumns: false,
  layoutFlags: ['columns'],
  async open({ terminal = false } = {}) {
    const format = (value: unknown) => formatJson(value, { indent: 2, terminal });
    const startList = (): ListWriter => {
      let separator = '[\n';
      const addAll = (values: readonly unknown[]) => {
        if (values.length === 0) return '';
        // Written as a list, so that the items are indented.
        const items = separator + format(values).slice('[\n'.length, -'\n]'.length);
        separator = ',\n';
        return items;
      };
      return {
        add: (value) => addAll([value]),
        addAll,
        end: () => (separator === '[\n' ? '[]\n' : '\n]\n'),
      };
    };
    return {
      formatValue: (value) => `${format(value)}\n`,
      formatList: (values) => formatItems(startList(), values),
      startList,
    };
  },
} as const satisfies Format;

/**
 * Formats a value as JSON. For a terminal, control characters are escaped; a parser reads the same value.
 */
export function formatJson(value: unknown, { indent = 0, terminal = false } = {}): string {
  const text = JSON.stringify(value ?? null, null, indent);
  return terminal ? escapeText(text) : text;
}
