/** A resource’s records as the text of a file: all that the filters leave, whole or not at all, a page at a time. */
import { usage } from '../../base/errors.ts';
import { type Operation, operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { type ListPage, recordsWithDeleted } from '../../session/list-with-deleted.ts';
import { readingClock } from '../../session/reading-clock.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { type OutColumn, relatedIn } from './cells.ts';
import { includesFor, type LayoutOptions, layoutFor, wantedColumns } from './layout.ts';
import { rowsText } from './rows-text.ts';
import type { TextOptions } from './text-options.ts';

export interface Export {
  session: Session;
  resource: Resource;
  /** By the document’s names. */
  filters: Readonly<Record<string, string>>;
  sort?: readonly string[] | undefined;
  /** The moment until which an earlier export has written all changes, `YYYY-MM-DD HH:MM:SS` in UTC. */
  since?: string | undefined;
  /** Whether deleted records are written as well as active ones. */
  withDeleted?: boolean;
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

  async function* batches(onPage: (page: ListPage) => void): AsyncGenerator<readonly Row[]> {
    if (asked.withDeleted) {
      const { is_deleted: _, ...active } = filters;
      yield* recordsWithDeleted(
        session,
        { operation: list as Operation, query: { ...query, filters: active } },
        onPage,
      );
      return;
    }
    for await (const page of session
      .list({ operation: list as Operation, query }, { isWanted: true })
      .pages()) {
      onPage(page);
      yield page.rows;
    }
  }

  async function* texts(): AsyncGenerator<string> {
    const clock = readingClock(asked.since);
    let expected: number | undefined;
    const onPage = ({ date, rows, total }: ListPage) => {
      clock.see(date, rows);
      expected = total;
    };
    let writer: Awaited<ReturnType<typeof rowsText>> | undefined;
    let columns: OutColumn[] = [];
    const begin = async (rows: readonly Row[], expected?: number) => {
      const layout = await layoutFor(session, resource, wanted, rows, options);
      columns = layout.columns;
      facts.missing = layout.missing;
      writer = await rowsText(columns, asked.text);
      return writer.begin(expected);
    };
    for await (const rows of batches(onPage)) {
      if (rows.length === 0) continue;
      const before = writer ? '' : await begin(rows, expected);
      await meetRelated(columns, rows);
      facts.rows += rows.length;
      yield before + (writer?.rows(rows) ?? '');
    }
    if (!writer) yield await begin([]);
    facts.seenUntil = clock.at();
    yield writer?.end() ?? '';
  }

  return { texts: { [Symbol.asyncIterator]: texts }, facts: () => facts };
}

async function meetRelated(columns: readonly OutColumn[], rows: readonly Row[]): Promise<void> {
  for (const column of columns) {
    if (column.names) await column.names.meet(rows.flatMap((row) => relatedIn(column, row)));
  }
}
