/** Compares a mirror with its account: the number of rows of each table, and a checksum of their contents. */
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Session } from '../../account/session/session.ts';
import { identifier, joinSql, sql, where } from '../../api/sql/sql.ts';
import type { MirroredResource } from './schema/derive.ts';
import { sqliteTable, withDigits } from './schema/numbers.ts';
import { type Cell, columnNames, idColumn, readingColumn, type Table } from './schema/table.ts';
import type { Reader } from './stores/store.ts';
import { requireIds } from './sync/page-changes.ts';
import { readPasses } from './sync/read-list.ts';

/** The comparison of one table of the mirror with the account. */
export interface TableDifference {
  table: string;
  account_rows: number;
  mirror_rows: number;
  /** The sum of a hash of each row, in hexadecimal: it doesn't depend on the order of the rows. */
  account_checksum: string;
  mirror_checksum: string;
  same: boolean;
}

/** The number of rows that are read from the mirror at a time. */
const batchRows = 2000;

/**
 * Reads the whole list of one resource and compares it with its tables. Forgotten records and excluded fields don't
 * count as differences. `onRecords` is called with the records read so far and the expected
 * total (0 if unknown).
 */
export async function compareTables(
  session: Session,
  reader: Pick<Reader, 'read' | 'dialect'>,
  mirrored: MirroredResource,
  forgotten: ReadonlySet<string>,
  onRecords?: (count: number, expected: number) => void,
): Promise<TableDifference[]> {
  const { resource, tables, children } = mirrored;
  const accountChecksums = new Map(tables.map((table) => [table, new TableChecksum()]));
  const comparedIds = new Set<string>();
  const onMissing = () => undefined;
  const request = { session, mirrored, after: undefined, deletedFilter: undefined, onMissing };
  let count = 0;
  for await (const { rows, expected = 0 } of readPasses(request, () => {})) {
    requireIds(mirrored, rows);
    count += rows.length;
    onRecords?.(count, expected);
    for (const record of rows) {
      const id = String(record.id);
      if (comparedIds.has(id) || forgotten.has(`${resource.name}/${id}`)) continue;
      comparedIds.add(id);
      const { mainRow, childRows } = mirrored.rows(record, 0);
      accountChecksums.get(mirrored.main)?.add(mainRow.slice(0, -1));
      for (const [index, { table }] of children.entries()) {
        for (const row of childRows[index] ?? []) accountChecksums.get(table)?.add(row);
      }
    }
  }
  const differences: TableDifference[] = [];
  for (const [table, checksum] of accountChecksums) {
    const mirrorChecksum = await checksumOf(reader, table);
    differences.push({
      table: table.name,
      account_rows: checksum.rows,
      mirror_rows: mirrorChecksum.rows,
      account_checksum: checksum.hex,
      mirror_checksum: mirrorChecksum.hex,
      same: checksum.rows === mirrorChecksum.rows && checksum.hex === mirrorChecksum.hex,
    });
  }
  return differences;
}

async function checksumOf(reader: Pick<Reader, 'read' | 'dialect'>, table: Table): Promise<TableChecksum> {
  const names = columnNames(table).filter((column) => column !== readingColumn);
  const storedTable = reader.dialect === 'sqlite' ? sqliteTable(table) : table;
  const checksum = new TableChecksum();
  const columns = columnNames(storedTable).filter((column) => column !== readingColumn);
  const selection = sql`SELECT ${joinSql(
    columns.map((column) => identifier(column)),
    ', ',
  )} FROM ${identifier(table.name)}`;
  for (let lastId: Cell | undefined; ; ) {
    const condition = where(lastId === undefined ? [] : [sql`${identifier(idColumn)} > ${lastId}`]);
    const rows = await reader.read(
      sql`${selection}${condition} ORDER BY ${identifier(idColumn)} LIMIT ${batchRows}`,
    );
    for (const row of rows) {
      const cells = withDigits(table, row);
      checksum.add(names.map((column) => cells[column] ?? null));
    }
    if (rows.length < batchRows) return checksum;
    lastId = rows.at(-1)?.[idColumn];
    // Queries on a file block the event loop, so signals are handled between batches.
    await setImmediate();
  }
}

/** Counts rows and adds up their hashes. */
class TableChecksum {
  rows = 0;
  #sum = 0n;

  add(cells: readonly Cell[]): void {
    this.rows++;
    this.#sum =
      (this.#sum + BigInt(`0x${hash('sha1', JSON.stringify(cells)).slice(0, 16)}`)) & 0xffffffffffffffffn;
  }

  get hex(): string {
    return this.#sum.toString(16).padStart(16, '0');
  }
}
