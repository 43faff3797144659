/** Records as people see them: several as a table, one as a card. */
import type { Resource } from '../../contract/resource.ts';
import { renderCard } from '../../terminal/card.ts';
import type { Streams } from '../../terminal/streams.ts';
import { type Column, renderTable, type Table } from '../../terminal/table.ts';
import { plainText, type ShownRow } from '../../terminal/value-at.ts';
import { cardEntries, tableColumns } from './record-words.ts';

export interface Layout {
  resource: Resource;
  columns?: readonly string[] | undefined;
  wide: boolean;
  localTime: boolean;
  /** Fields that the rows were filtered by: they are kept in sight. */
  filtered?: readonly string[] | undefined;
}

/** Of the records related to one record, on a card. */
const mostShown = 20;

export function recordCard(
  view: Layout,
  record: ShownRow,
  { colour, unicode, isTerminal, columns }: Streams,
): string {
  const mostItems = view.wide ? undefined : mostShown;
  return renderCard(cardEntries(view, record), record, {
    colour: colour.out,
    unicode,
    isolate: isTerminal.out && unicode,
    mostItems,
    ...(isTerminal.out && !view.wide && { width: columns }),
  });
}

/** `changed` says which rows stand out; deleted ones do in any case. */
export function recordTable(
  view: Layout,
  rows: readonly ShownRow[],
  { isTerminal, columns, colour, unicode }: Streams,
  changed: (row: ShownRow) => boolean = () => false,
): Table {
  const isDeleted = (row: ShownRow) => row.deleted_at != null;
  const names = view.columns ?? [
    ...view.resource.columns,
    // Where nothing can be dim or struck, the moment says it.
    ...(!colour.out && rows.some(isDeleted) ? ['deleted_at'] : []),
  ];
  const draw = (chosen: readonly string[]) => {
    const shown = tableColumns(view, chosen);
    return renderTable(colour.out ? shown : withStars(shown, changed), rows, {
      ...(isTerminal.out && !view.wide && { width: columns }),
      canChoose: true,
      colour: colour.out,
      unicode,
      isolate: isTerminal.out && unicode,
      mark: (row) => (isDeleted(row) ? 'deleted' : changed(row) ? 'changed' : undefined),
    });
  };
  const table = draw(names);
  // Where there is room for one column, a name says more to a person than an id.
  return table.shown > 1 || view.columns ? table : draw([...names.slice(1), 'id']);
}

/** Without colour a star behind the first column says that the row has changed. */
function withStars(columns: readonly Column[], changed: (row: ShownRow) => boolean): Column[] {
  const [first, ...others] = columns;
  if (!first) return [];
  const show = (value: unknown, row: ShownRow) =>
    (first.show?.(value, row) ?? plainText(value)) + (changed(row) ? ' *' : '');
  return [{ ...first, show }, ...others];
}
