/** JSON for scripts: two spaces of indent, and a list that is written as it arrives. */
import { replaceUnsafe } from '../clean.ts';
import type { Format, FormatOptions } from './shape.ts';

export function json({ terminal = false }: FormatOptions = {}): Format {
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
}

/**
 * A value as JSON. On a terminal every character that could act on it, which JSON allows only inside strings,
 * is written as \uXXXX: other characters on the screen, the same value to whoever parses it.
 */
export function jsonText(value: unknown, { indent = 0, terminal = false } = {}): string {
  const text = JSON.stringify(value ?? null, null, indent);
  return terminal
    ? text
        .split('\n')
        .map((line) => replaceUnsafe(line, escaped))
        .join('\n')
    : text;
}

/** As JSON and YAML write it in double quotes: two escapes for a character beyond the first 65,536. */
export function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** JSON has line breaks only between its tokens, so this changes no value. */
function indented(text: string): string {
  return `  ${text.replaceAll('\n', '\n  ')}`;
}
