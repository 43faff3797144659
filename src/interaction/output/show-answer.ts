/** What a query answered, in any format: row after row, as far as the format can. */
import { note } from '../../terminal/messages.ts';
import { keepInSight, writeAll } from '../../terminal/streams.ts';
import type { Column } from '../../terminal/table.ts';
import type { Context } from '../context.ts';
import { chosenFormat } from './chosen-format.ts';
import type { AnswerResult } from './result.ts';

export async function showAnswer(context: Context, { columns, rows, end }: AnswerResult): Promise<void> {
  const { streams } = context;
  try {
    const format = await chosenFormat(context, 'anyone');
    const writer = await format.open({
      terminal: streams.isTerminal.out,
      colour: streams.colour.out,
      unicode: streams.unicode,
      ...(streams.isTerminal.out && { width: streams.columns }),
      remark: (text) => note(streams, text),
      header: (lines) => keepInSight(streams, lines),
      ...(columns.length > 0 && { columns: columns.map(columnOf) }),
    });
    await writeAll(streams, writer.many(rows));
  } finally {
    await end();
  }
}

/** Nobody has chosen them for a window: those that it has room for stay readable, and others are named below. */
function columnOf(name: string): Column {
  return { name, least: 12, whole: name === 'id' };
}
