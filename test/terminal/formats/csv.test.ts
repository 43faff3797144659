import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { describe, expect, test } from 'vitest';
import { csv, unescapeFormula } from '../../../src/cli/terminal/formats/csv.ts';
import type { FormatOptions, Values } from '../../../src/cli/terminal/formats/format.ts';
import { fc } from '../../harness/fast-check.ts';

async function csvOf(values: Values, options: FormatOptions = {}): Promise<string> {
  let text = '';
  for await (const chunk of (await csv.open(options)).formatList(values)) text += chunk;
  return text;
}

const columnsNamed = (...names: string[]) => names.map((name) => ({ name }));

describe('CSV', () => {
  test('follows RFC 4180: a header, CR LF, quotes only if needed', async () => {
    const rows = [
      { id: 'a', name: 'plain' },
      { id: 'b', name: 'with "quotes", a comma\r\nand a line' },
    ];
    expect(await csvOf(rows)).toBe('id,name\r\na,plain\r\nb,"with ""quotes"", a comma\r\nand a line"\r\n');
  });

  test('begins with a byte order mark for spreadsheets', async () => {
    expect(await csvOf([{ id: 'a' }], { bom: true })).toBe('\u{feff}id\r\na\r\n');
  });

  test('has the requested columns, also dotted ones', async () => {
    const rows = [{ id: 'a', tags: [{ name: 'x' }, { name: 'y' }], category: { name: 'Coffee' } }];
    expect(await csvOf(rows, { columns: columnsNamed('tags.name', 'id', 'category.name', 'missing') })).toBe(
      'tags.name,id,category.name,missing\r\n"x, y",a,Coffee,\r\n',
    );
  });

  test('by default has every field of any record', async () => {
    expect(await csvOf([{ id: 'a' }, { id: 'b', late: 1 }])).toBe('id,late\r\na,\r\nb,1\r\n');
  });

  test('writes structured values as JSON, so that an import can read them', async () => {
    const rows = [{ ring: [[46.7, 24.6]], links: [{ cost: 2 }], names: ['a', 'b,c'], empty: null }];
    const [row] = parse(await csvOf(rows), { columns: true }) as Record<string, string>[];
    expect(row).toEqual({ ring: '[[46.7,24.6]]', links: '[{"cost":2}]', names: '["a","b,c"]', empty: '' });
  });

  test('has the same quotes as a CSV library', async () => {
    // None of them starts a formula, which would be escaped first.
    const cell = fc
      .array(fc.constantFrom(',', '"', '""', "'", ' ', 'a', 'é', 'م', '.', '\\', '|', '\u{feff}'))
      .map((parts) => parts.join(''));
    const format = await csv.open({ columns: columnsNamed('a', 'b', 'c') });
    fc.assert(
      fc.property(fc.tuple(cell, cell, cell), ([a, b, c]) => {
        const rows = [
          ['a', 'b', 'c'],
          [a, b, c],
        ];
        expect(format.formatValue({ a, b, c })).toBe(stringify(rows, { record_delimiter: 'windows' }));
      }),
    );
  });

  test('with known columns: writes each record as it arrives', async () => {
    async function* endless() {
      for (let id = 0; ; id += 1) yield { id };
    }
    const writer = await csv.open({ columns: columnsNamed('id') });
    const chunks = writer.formatList(endless())[Symbol.asyncIterator]();
    expect((await chunks.next()).value).toBe('id\r\n0\r\n');
    expect((await chunks.next()).value).toBe('1\r\n');
  });
});

describe('cells that a spreadsheet would run', () => {
  test.each([
    '=1+1',
    '+966500000',
    '-cmd',
    '@SUM(A1)',
    '\tx',
    '\rx',
    '  =1',
    '\u{feff}=1',
    '\u{a0}@x',
    '\u{200b}=1',
    '\u{200e}\u{2060} +1',
    '\u{0}=1',
    '\u{b}-x',
    '＝1',
    "'=1",
    "''@x",
  ])('%j: is escaped, and unescapeFormula returns it unchanged', async (cell) => {
    const [row] = parse(await csvOf([{ cell }]), { columns: true }) as Record<string, string>[];
    expect(row?.cell).toBe(`'${cell}`);
    expect(unescapeFormula(row?.cell ?? '')).toBe(cell);
  });

  test.each([
    ['\n=x', "'\n'=x"],
    ['a;=1', "a;'=1"],
    ['24.6;-46.7; @x', "24.6;'-46.7;' @x"],
    ['a\r+1', "a\r'+1"],
    // Found with seed 15688869: the quote is written twice, and two at the start of a cell are ignored.
    ['a;"@x-', 'a;\'"@x-'],
    ['a\n"" =1', 'a\n\'"" =1'],
    [String.raw`\N`, String.raw`'\N`],
    [String.raw`'\N`, String.raw`''\N`],
  ])(
    '%j: is escaped for programs that separate by semicolons, and unescapeFormula returns it unchanged',
    async (cell, escaped) => {
      const [row] = parse(await csvOf([{ cell }]), { columns: true }) as Record<string, string>[];
      expect(row?.cell).toBe(escaped);
      expect(unescapeFormula(escaped)).toBe(cell);
    },
  );

  test.each([-5, -2.5, -1e-7, '-5', '-12.50', 'a=b', 'a\nb', "it's", "'quoted'"])(
    '%j: is unchanged',
    async (cell) => {
      const [row] = parse(await csvOf([{ cell }]), { columns: true }) as Record<string, string>[];
      expect(row?.cell).toBe(String(cell));
      expect(unescapeFormula(row?.cell ?? '')).toBe(String(cell));
    },
  );

  test('any text: is not written as a formula, and unescapeFormula returns it unchanged', async () => {
    const cell = fc.string({
      unit: fc.constantFrom(
        "'",
        '=',
        '+',
        '-',
        '@',
        '\t',
        '\r',
        '\n',
        '＝',
        '1',
        '.',
        'e',
        'a',
        ' ',
        '"',
        ',',
      ),
    });
    const format = await csv.open();
    fc.assert(
      fc.property(cell, (value) => {
        const [row] = parse(format.formatValue({ cell: value, end: 'x' }), { columns: true }) as Record<
          string,
          string
        >[];
        const written = row?.cell ?? '';
        expect(written).not.toMatch(/^[=+@\t\r\n＝＋－＠]|^-(?!\d+(\.\d+)?(e[+-]?\d+)?$)/i);
        expect(unescapeFormula(written)).toBe(value);
      }),
      { numRuns: 500 },
    );
  });
});
