/** Tests that the CSV splitter returns the rows of another parser, and that a stray quote affects only its own row. */
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import {
  type CsvRecord,
  CsvSplitter,
  type CsvSyntax,
  formatCsvRow,
  splitRecord,
} from '../../src/engine/tables/csv-splitter.ts';
import { fc } from '../harness/fast-check.ts';

/** Splits text that arrives in chunks of `size` characters. */
function split(text: string, size: number, syntax: Partial<CsvSyntax> = {}, width?: number): CsvRecord[] {
  const splitter = new CsvSplitter({ delimiter: ',', quote: '"', ...syntax }, width);
  const records: CsvRecord[] = [];
  for (let start = 0; start < text.length; start += size)
    records.push(...splitter.split(text.slice(start, start + size), false));
  return [...records, ...splitter.split('', true)];
}

const anyCell = fc.constantFrom(
  'a',
  '',
  'ب 🍅',
  '-5',
  '2.50',
  ' x ',
  ';',
  'a,b',
  'a "b"',
  '"',
  'two\nlines',
  '\r',
);
const anyLineBreak = fc.constantFrom('\n', '\r\n', '\r', '\n\n');

describe('CSV records', () => {
  it('match those of another parser, with line numbers, for any chunk boundaries', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.array(anyCell, { minLength: 1, maxLength: 3 }), anyLineBreak), { maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(',', ';', '\t'),
        (rows, size, delimiter) => {
          const syntax = { delimiter, quote: '"' };
          const text = rows.map(([cells, lineBreak]) => formatCsvRow(cells, syntax) + lineBreak).join('');
          const options = { delimiter, record_delimiter: ['\r\n', '\n', '\r'] };
          const expectedRows: string[][] = parse(text, { ...options, relax_column_count: true });
          const isRow = (cells: readonly string[]) => cells.length > 1 || cells[0] !== '';
          const records = split(text, size, syntax);
          expect(records.map(({ cells }) => cells).filter(isRow)).toEqual(expectedRows.filter(isRow));
          for (const { cells, raw, line, lines, problem } of records) {
            expect(problem).toBeUndefined();
            expect(splitRecord(raw, syntax)).toEqual(cells);
            const textLines = text.split(/\r\n|\n|\r/);
            expect(raw.split(/\r\n|\n|\r/)).toEqual(textLines.slice(line - 1, line - 1 + lines));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    ['a quote in a cell', 'a,b\n1,12" x\n3,4\n', [2, 1]],
    ['a lone quote before a cell', 'a,b\n1,"x\n3,4\n5,6\n', [2, 1]],
    ['a lone quote before a cell, and quoted cells below', 'a,b\n1,"x\n"3","4"\n5,6\n', [2, 1]],
    ['a lone quote at the end of a line', 'a,b\n1,"\n3,"4"\n', [2, 1]],
    ['a lone quote in the last line', 'a,b\n1,2\n3,"4', [3, 1]],
    ['text after a quoted cell', 'a,b\n1,"x"y\n3,4\n', [2, 1]],
    ['text after a quoted cell of two lines', 'a,b\n1,"x\nz"y\n3,4\n', [2, 2]],
  ])('with %s: only that row has a problem', (_, text, [line, lines]) => {
    for (const size of [1, 2, 5, 100]) {
      const records = split(text, size, {}, 2);
      const problemRecords = records.filter(({ problem }) => problem !== undefined);
      expect(problemRecords).toMatchObject([{ line, lines }]);
      expect(
        records.filter(({ problem }) => problem === undefined).every(({ cells }) => cells.length === 2),
      ).toBe(true);
      expect(records.reduce((sum, record) => sum + record.lines, 0)).toBe(text.trimEnd().split('\n').length);
    }
  });

  it('a quoted cell of several lines is one cell, even if a later row is wrong', () => {
    const text = 'a,b,c\n1,"x\n7,8,9\ny"z,2\n4,5,6\n';
    const records = split(text, 100, {}, 3);
    expect(records.map(({ line, problem }) => [line, problem === undefined])).toEqual([
      [1, true],
      [2, false],
      [5, true],
    ]);
  });

  it('single quotes as the quote character: apostrophes within words are letters', () => {
    const [record] = split("'a, b',baker's,''''\n", 3, { quote: "'" });
    expect(record?.cells).toEqual(['a, b', "baker's", "'"]);
  });

  it('comma and space as the delimiter: a comma without a space is text', () => {
    for (const size of [1, 3, 100]) {
      const [record] = split('1,5, "a, b", \n', size, { delimiter: ', ' });
      expect(record?.cells).toEqual(['1,5', 'a, b', '']);
    }
  });
});
