/** Results of the sandbox's commands: text for people, the value for machines. */
import { write } from '../../terminal/streams.ts';
import type { Row } from '../../terminal/value-at.ts';
import type { Context } from '../context.ts';
import { outputName } from '../showing/output.ts';

/** One value. `inWords` may hold what people gave the sandbox: it is cleaned. */
export async function showOne(context: Context, value: unknown, inWords: () => string): Promise<void> {
  const { stdout, isTerminal } = context.streams;
  const name = await outputName(context);
  if (name === 'table') {
    const { cleanText } = await import('../../terminal/clean.ts');
    return write(stdout, `${cleanText(inWords())}\n`);
  }
  const { loadFormat } = await import('../../terminal/formats/format.ts');
  await write(stdout, (await loadFormat(name, { terminal: isTerminal.out })).one(value));
}

/** Rows as a table with these columns, or whole for machines. */
export async function showRows(
  context: Context,
  rows: readonly Row[],
  columns: readonly string[],
  ifNone: string,
): Promise<void> {
  const { stdout, isTerminal, colour, unicode, columns: width } = context.streams;
  const name = await outputName(context);
  if (name !== 'table') {
    const { loadFormat } = await import('../../terminal/formats/format.ts');
    const { writeAll } = await import('../../terminal/streams.ts');
    return writeAll(stdout, (await loadFormat(name, { terminal: isTerminal.out })).many(rows));
  }
  if (rows.length === 0) {
    const { note } = await import('../../terminal/messages.ts');
    return note(context.streams, ifNone);
  }
  const { renderTable } = await import('../../terminal/table.ts');
  const table = renderTable(
    columns.map((column) => ({ name: column, header: column.replaceAll('_', ' ') })),
    rows,
    { width: isTerminal.out ? width : undefined, colour: colour.out, unicode },
  );
  await write(stdout, table.text);
}
