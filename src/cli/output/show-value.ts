/** Writes values, text and query rows in a format. */

import { redact, redactValue } from '../../base/redaction.ts';
import type { Context } from '../context/context.ts';
import { cleanText, toAscii } from '../terminal/clean.ts';
import type { Format, FormatOptions, Writer } from '../terminal/formats/format.ts';
import { note } from '../terminal/messages.ts';
import { type Streams, setHeaderLines, write, writeAll } from '../terminal/streams.ts';
import type { Column } from '../terminal/table.ts';
import { chooseFormat, formatFromFlags } from './choose-format.ts';
import type { QueryRowsResult, TextResult, ValueResult } from './result.ts';

/** Writes a value, or each value of a list. */
export async function showValue(
  { streams }: Context,
  { value, rows }: Omit<ValueResult, 'kind' | 'request'>,
  format: Format,
  options: FormatOptions = {},
): Promise<void> {
  const values = rows && !format.isExact ? rows : value;
  const writer = await openWriter(streams, format, options);
  await writeAll(streams, Array.isArray(values) ? writer.formatList(values) : [writer.formatValue(values)]);
}

function openWriter(streams: Streams, format: Format, options: FormatOptions): Promise<Writer> | Writer {
  const { isTerminal, color, unicode, columns } = streams;
  return format.open({
    terminal: isTerminal.out,
    color: color.out,
    unicode,
    ...(isTerminal.out && { width: columns('out') }),
    onNote: (text) => note(streams, text),
    onHeader: (lines) => setHeaderLines(streams, lines),
    ...options,
  });
}

/** Returns cleaned text with a final line break. It may contain data of the service, so control characters are replaced. */
export function withFinalNewline(text: string): string {
  const clean = cleanText(text);
  return clean.endsWith('\n') ? clean : `${clean}\n`;
}

/** Writes plain text, or its value if the command line names a format for programs. */
export async function showText(
  context: Context,
  { text: originalText, value, isSecret = false }: Omit<TextResult, 'kind'>,
): Promise<void> {
  const { streams } = context;
  const format = value === undefined ? undefined : await formatFromFlags(context);
  if (format && !format.isForPeople) return showValue(context, { value: redactValue(value) }, format);
  if (isSecret) return write(streams.stdout, Buffer.from(originalText));
  const text = redact(originalText);
  const remainingBytes = streams.writeSyncPrefix?.(text) ?? text;
  if (remainingBytes.length === 0) return;
  if (!streams.isTerminal.out || streams.unicode) return write(streams.stdout, remainingBytes);
  await write(streams.stdout, toAscii(text));
}

/** Writes the rows of a query, as they arrive if the format supports that. */
export async function showQueryRows(
  context: Context,
  { columns, rows, end }: QueryRowsResult,
): Promise<void> {
  const { streams } = context;
  try {
    const format = await chooseFormat(context, 'anyone');
    const writer = await openWriter(
      streams,
      format,
      columns.length > 0 ? { columns: columns.map(columnOf) } : {},
    );
    await writeAll(streams, writer.formatList(rows));
  } finally {
    await end();
  }
}

/** Returns a column with a readable width. A narrow window may omit columns of a query. */
function columnOf(name: string): Column {
  return { name, minWidth: 12, isIndivisible: name === 'id' };
}
