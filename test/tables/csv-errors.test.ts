/**
 * Reads CSV files with one error each. A file is read exactly if the header and the accepted rows have the same cells as
 * the clean table. Otherwise the file must be refused, its bad rows reported, or a note added on how it was read.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { openInputFile } from '../../src/engine/tables/input-file.ts';
import { openTable } from '../../src/engine/tables/open-table.ts';
import { columnNames, type PollutedFile, pollutedFiles } from '../harness/polluted-csv.ts';
import { isSoak, repetitionsTimeoutMs, reportTried } from '../harness/repetitions.ts';

interface ReadTable {
  /** The header and the rows without a problem. */
  table: string[][];
  /** The lines of rows with a problem. */
  badLines: number[];
  notes: readonly string[];
  failure?: string;
}

async function readTable(path: string): Promise<ReadTable> {
  const source = await openInputFile(path, { stdin: Readable.from([]) });
  const result: ReadTable = { table: [], badLines: [], notes: [] };
  try {
    const fieldNames = new Set(columnNames);
    const table = await openTable(source, {
      headerNames: fieldNames,
      defaultSheet: 'suppliers',
      hasFlags: true,
    });
    const columns = table.columns ?? [];
    result.notes = table.notes ?? [];
    result.table.push([...columns]);
    for await (const { line, cells, problems } of table.rows()) {
      if (problems.length > 0) result.badLines.push(line);
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

function classify({ clean, line = 0 }: PollutedFile, { table, badLines, notes, failure }: ReadTable): string {
  const isSame = (expectedTable: readonly string[][]) =>
    JSON.stringify(table) === JSON.stringify(expectedTable);
  if (failure !== undefined) return 'refused';
  if (badLines.length === 0 && isSame(clean)) return notes.length === 0 ? 'same' : 'same, with a note';
  const isOne = badLines.length === 1 && badLines[0] === line;
  if (isOne && isSame(clean.filter((_, index) => index + 1 !== line))) return 'one row reported';
  return badLines.length > 0 || notes.length > 0 ? 'reported' : 'WRONG WITHOUT A NOTE';
}

function isAsExpected({ expected }: PollutedFile, reading: string): boolean {
  if (expected === 'reported') return reading !== 'WRONG WITHOUT A NOTE';
  return reading === expected;
}

/** The size of the table. The full table of a soak run, with 84 rows of 9 columns, yields 2,290 files. */
const size = isSoak ? { rows: 84, columns: 9 } : { rows: 8, columns: 9 };
const seed = isSoak ? Number(process.env.SOAK_SEED ?? 1) : 20_261_122;

test(
  'import: a polluted CSV file is read exactly or reported, and one bad row affects no other',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'boh-polluted-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'rows.csv');
    const wrongFiles: string[] = [];
    let count = 0;
    for (const file of pollutedFiles({ ...size, seed })) {
      writeFileSync(path, file.text);
      const reading = await readTable(path);
      const outcome = classify(file, reading);
      if (!isAsExpected(file, outcome))
        wrongFiles.push(`${file.name}: ${outcome} (${reading.badLines}) ${reading.failure ?? ''}`);
      count++;
    }
    reportTried({ tried: `${count} polluted files`, seed });
    expect(wrongFiles).toEqual([]);
    expect(count).toBe(2 * size.rows * size.columns + size.rows * (size.columns - 1) + size.rows + 22);
  },
  repetitionsTimeoutMs,
);
