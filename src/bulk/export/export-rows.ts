/** A resource’s records as the text of a file: all that the filters leave, whole or not at all, a page at a time. */
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { usage } from '../../errors.ts';
import type { Reading } from '../../session/list.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { type OutColumn, relatedIn } from './cells.ts';
import { includesFor, type LayoutOptions, layoutFor, wantedColumns } from './layout.ts';
import { rowsText } from './rows-text.ts';
import type { TextOptions } from './text-options.ts';
import { seenUntil, stopwatch } from './watermark.ts';

export interface Export {
  session: Session;
  resource: Resource;
  /** By the document’s names. */
  filters: Readonly<Record<string, string>>;
  sort?: readonly string[] | undefined;
  layout: LayoutOptions;
  text: TextOptions;
}

export interface Exported {
  /** Read once; throws where the list can’t be read whole. */
  texts: AsyncIterable<string>;
  /** Known once the texts are read. */
  facts(): ExportFacts;
}

export interface ExportFacts {
  rows: number;
  /** Columns that the service shows nothing of. */
  missing: readonly string[];
  /** Up to when changes were seen, by the service’s clock. */
  seenUntil: string | undefined;
}

/** What is wrong with the columns is thrown here, before anything is asked. */
export function exportRows(asked: Export): Exported {
  const { session, resource, filters, sort, layout: options } = asked;
  const list = operation(resource, 'list');
  if (!list) throw usage(`${resource.command} can’t be listed, and so not exported.`);
  const wanted = wantedColumns(resource, options);
  const query = { filters, sort, optional: includesFor(wanted) };
  const facts: { rows: number; missing: readonly string[]; seenUntil: string | undefined } = {
    rows: 0,
    missing: [],
    seenUntil: undefined,
  };
  const readings = (): Reading[] => {
    const all = session.list({ operation: list, query }, { isWanted: true });
    // Such a service shows the deleted ones by themselves.
    const isApart = filters.is_deleted === 'true' && session.settings.wire.deletedFilter === 'only';
    if (!isApart || !options.hasDeleted) return [all];
    const { is_deleted: _, ...active } = filters;
    return [session.list({ operation: list, query: { ...query, filters: active } }, { isWanted: true }), all];
  };

  async function* texts(): AsyncGenerator<string> {
    const took = stopwatch();
    let lastChange: string | undefined;
    let writer: Awaited<ReturnType<typeof rowsText>> | undefined;
    let columns: OutColumn[] = [];
    const begin = async (rows: readonly Row[], expected?: number) => {
      const layout = await layoutFor(session, resource, wanted, rows, options);
      columns = layout.columns;
      facts.missing = layout.missing;
      writer = await rowsText(columns, asked.text);
      return writer.begin(expected);
    };
    for (const reading of readings()) {
      for await (const rows of reading.batches()) {
        if (rows.length === 0) continue;
        const before = writer ? '' : await begin(rows, reading.facts().total);
        await meetRelated(columns, rows);
        facts.rows += rows.length;
        for (const { updated_at: at } of rows) {
          if (typeof at === 'string' && (lastChange === undefined || at > lastChange)) lastChange = at;
        }
        yield before + (writer?.rows(rows) ?? '');
      }
    }
    if (!writer) yield await begin([]);
    facts.seenUntil = seenUntil(lastChange, took());
    yield writer?.end() ?? '';
  }

  return { texts: { [Symbol.asyncIterator]: texts }, facts: () => facts };
}

async function meetRelated(columns: readonly OutColumn[], rows: readonly Row[]): Promise<void> {
  for (const column of columns) {
    if (column.names) await column.names.meet(rows.flatMap((row) => relatedIn(column, row)));
  }
}
