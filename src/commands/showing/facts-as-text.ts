/** What boh itself knows, drawn for people: the texts that `printFacts` wants. */
import { note } from '../../terminal/messages.ts';
import type { Column } from '../../terminal/table.ts';
import type { Row } from '../../terminal/value-at.ts';
import type { Context } from '../context.ts';

/** One thing: a label and its value a line, in the order of the record; what there is not is left out. */
export async function cardText({ streams }: Context, record: Row): Promise<string> {
  const { renderCard } = await import('../../terminal/card.ts');
  const names = Object.keys(record).filter((name) => record[name] !== null);
  const entries = names.map((name) => ({
    name,
    label: name.replaceAll('_', ' '),
    show: (value: unknown) => (isLong(value) ? value.join('\n') : inWords(value)),
  }));
  return renderCard(entries, record, { colour: streams.colour.out, unicode: streams.unicode });
}

/** Several: a line each. On a terminal it fits the window, and what does not is named on stderr. */
export async function tableText(
  { streams }: Context,
  columns: readonly Omit<Column, 'header'>[],
  rows: readonly Row[],
): Promise<string> {
  const { renderTable } = await import('../../terminal/table.ts');
  const headed = columns.map((column) => ({
    header: column.name.replaceAll('_', ' '),
    show: inWords,
    ...column,
  }));
  const table = renderTable(headed, rows, {
    width: streams.isTerminal.out ? streams.columns : undefined,
    colour: streams.colour.out,
    unicode: streams.unicode,
  });
  if (table.note) note(streams, table.note);
  return table.text;
}

/** A list that would not fit a line. */
function isLong(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 4;
}

function inWords(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? value.join(', ') : String(value);
}
