/** Any value in any format, as all kinds of results are shown in the end. */
import type { Format, FormatOptions } from '../../terminal/formats/format.ts';
import { note } from '../../terminal/messages.ts';
import { keepInSight, writeAll } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import type { ValueResult } from './result.ts';

/** A value, or each value of a list, in a format for programs or as people read it. */
export async function showValue(
  { streams }: Context,
  { value, rows }: Omit<ValueResult, 'kind' | 'request'>,
  format: Format,
  options: FormatOptions = {},
): Promise<void> {
  const shown = rows && !format.isExact ? rows : value;
  const { isTerminal, colour, unicode, columns: width } = streams;
  const writer = await format.open({
    terminal: isTerminal.out,
    colour: colour.out,
    unicode,
    ...(isTerminal.out && { width }),
    remark: (text) => note(streams, text),
    header: (lines) => keepInSight(streams, lines),
    ...options,
  });
  await writeAll(streams, Array.isArray(shown) ? writer.many(shown) : [writer.one(shown)]);
}

/** A text for people, which may hold what came from outside. */
export async function ownText(text: string): Promise<string> {
  const { cleanText } = await import('../../terminal/clean.ts');
  const clean = cleanText(text);
  return clean.endsWith('\n') ? clean : `${clean}\n`;
}
