/** Writes JSON with an indent of two spaces, and lists as they arrive. */
import { escapeText } from '../clean.ts';
import { type Format, type ListText, textsOf } from './format.ts';

/** The JSON format. */
export const json = {
  name: 'json',
  isForPeople: false,
  isStreaming: true,
  isExact: true,
  needsColumns: false,
  choices: ['columns'],
  async open({ terminal = false } = {}) {
    const text = (value: unknown) => jsonText(value, { indent: 2, terminal });
    const list = (): ListText => {
      let before = '[\n';
      const addAll = (values: readonly unknown[]) => {
        if (values.length === 0) return '';
        // Written as a list, so that the items are indented.
        const items = before + text(values).slice('[\n'.length, -'\n]'.length);
        before = ',\n';
        return items;
      };
      return {
        add: (value) => addAll([value]),
        addAll,
        end: () => (before === '[\n' ? '[]\n' : '\n]\n'),
      };
    };
    return { one: (value) => `${text(value)}\n`, many: (values) => textsOf(list(), values), list };
  },
} as const satisfies Format;

/**
 * Returns a value as JSON. For a terminal, control characters are escaped, which is the same value to a parser.
 */
export function jsonText(value: unknown, { indent = 0, terminal = false } = {}): string {
  const text = JSON.stringify(value ?? null, null, indent);
  return terminal ? escapeText(text) : text;
}
