/** A bare text. It stands by itself because help and version need nothing else of the presenter. */
import { write } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { formatOnLine } from './chosen-format.ts';
import type { TextResult } from './result.ts';

export async function showText(context: Context, { text, value }: Omit<TextResult, 'kind'>): Promise<void> {
  const { streams } = context;
  const format = value === undefined ? undefined : await formatOnLine(context);
  if (format && !format.isForPeople) {
    const { showValue } = await import('./show-value.ts');
    return showValue(context, { value }, format);
  }
  const left = streams.writeBriefly?.(text) ?? text;
  if (left.length === 0) return;
  if (!streams.isTerminal.out || streams.unicode) return write(streams.stdout, left);
  const { inAscii } = await import('../../terminal/clean.ts');
  await write(streams.stdout, inAscii(text));
}
