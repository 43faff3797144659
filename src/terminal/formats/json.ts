/** JSON for scripts: two spaces of indent, and a list that is written as it arrives. */
import { escapeText } from '../clean.ts';
import { type Format, type ListText, textsOf } from './format.ts';

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
        // As items of a list they come indented.
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
 * A value as JSON. On a terminal every character that could act on it is escaped: other characters on the screen,
 * the same value to whoever parses it.
 */
export function jsonText(value: unknown, { indent = 0, terminal = false } = {}): string {
  const text = JSON.stringify(value ?? null, null, indent);
  return terminal ? escapeText(text) : text;
}
