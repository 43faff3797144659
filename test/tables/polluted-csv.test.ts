/**
 * CSV files with one thing wrong each. Read exactly means: the header and the rows that an import takes have the cells
 * of the clean table, text for text. Other changes are reported: the file is refused, its rows are named, or a note says how it
 * was read.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { openInputFile } from '../../src/tables/input-file.ts';
import { openTable } from '../../src/tables/open-table.ts';
import { columnNames, type PollutedFile, pollutedFiles } from '../harness/polluted-csv.ts';
import { isSoak, reportTried, roundsTimeoutMs } from '../harness/rounds.ts';

interface Taken {
  /** The header and the rows without a problem. */
  table: string[][];
  /** Lines of rows with a problem. */
  named: number[];
  notes: readonly string[];
  failure?: string;
}

async function taken(path: string): Promise<Taken> {
  const source = await openInputFile(path, { stdin: Readable.from([]) });
  const result: Taken = { table: [], named: [], notes: [] };
  try {
    const known = new Set(columnNames);
    const table = await openTable(source, { headerNames: known, defaultSheet: 'suppliers', hasFlags: true });
    const columns = table.columns ?? [];
    result.notes = table.notes ?? [];
    result.table.push([...columns]);
    for await (const { line, cells, problems } of table.rows()) {
      if (problems.length > 0) result.named.push(line);
      else result.table.push(columns.map((name) => (name === '' ? '' : String(cells.get(name)))));
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.category !== 'usage') throw error;
    result.failure = error.message;
  } finally {
    await source.close();
  }
  return result;
}

function verdict({ clean, line = 0 }: PollutedFile, { table, named, notes, failure }: Taken): string {
  const isSame = (meant: readonly string[][]) => JSON.stringify(table) === JSON.stringify(meant);
  if (failure !== undefined) return 'refused';
  if (named.length === 0 && isSame(clean)) return notes.length === 0 ? 'same' : 'same, noted';
  const isOne = named.length === 1 && named[0] === line;
  if (isOne && isSame(clean.filter((_, at) => at + 1 !== line))) return 'one row named';
  return named.length > 0 || notes.length > 0 ? 'told' : 'WRONG WITHOUT A WORD';
}

function isAsExpected({ expected }: PollutedFile, found: string): boolean {
  if (expected === 'told') return found !== 'WRONG WITHOUT A WORD';
  return found === expected;
}

/** A full table has 84 rows of 9 columns, and gives 2,290 files. */
const size = isSoak ? { rows: 84, columns: 9 } : { rows: 8, columns: 9 };
const seed = isSoak ? Number(process.env.SOAK_SEED ?? 1) : 20_261_122;

test(
  'import: a polluted CSV file is read exactly or reported, and one bad row affects no other',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'boh-polluted-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'rows.csv');
    const wrong: string[] = [];
    let count = 0;
    for (const file of pollutedFiles({ ...size, seed })) {
      writeFileSync(path, file.text);
      const found = await taken(path);
      const said = verdict(file, found);
      if (!isAsExpected(file, said))
        wrong.push(`${file.name}: ${said} (${found.named}) ${found.failure ?? ''}`);
      count++;
    }
    reportTried({ tried: `${count} polluted files`, seed });
    expect(wrong).toEqual([]);
    expect(count).toBe(2 * size.rows * size.columns + size.rows * (size.columns - 1) + size.rows + 22);
  },
  roundsTimeoutMs,
);
