/** JSON for scripts: two spaces of indent, and a list that is written as it arrives. */
import { escapeText } from '../clean.ts';
import type { Format } from './format.ts';

export const json = {
  name: 'json',
  isForPeople: false,
  isStreaming: true,
  isExact: true,
  needsColumns: false,
  choices: ['columns'],
  async open({ terminal = false } = {}) {
    const text = (value: unknown) => jsonText(value, { indent: 2, terminal });
    return {
      one: (value) => `${text(value)}\n`,
      async *many(values) {
        let before = '[\n';
        for await (const value of values) {
          yield before + indented(text(value));
          before = ',\n';
        }
        yield before === '[\n' ? '[]\n' : '\n]\n';
      },
    };
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

/** JSON has line breaks only between its tokens, so this changes no value. */
function indented(text: string): string {
  return `  ${text.replaceAll('\n', '\n  ')}`;
}
