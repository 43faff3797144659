import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import { afterAll, expect, test } from 'vitest';
import { toApiDate, toApiTimestamp } from '../../src/api/contract/date-formats.ts';
import { Failure } from '../../src/base/errors.ts';
import { detectDecimalSeparator, toApiNumber } from '../../src/engine/tables/columns/numbers.ts';
import { openInputFile } from '../../src/engine/tables/input-file.ts';
import { openTable } from '../../src/engine/tables/open-table.ts';
import type { TableRow } from '../../src/engine/tables/table.ts';
import { fc } from '../harness/fast-check.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-any-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const headerNames = new Set(['name', 'phone']);
const emptyInput = Readable.from([]);

async function rowsOf(name: string, content: string | Uint8Array, encoding?: string): Promise<TableRow[]> {
  const path = join(folder, name);
  writeFileSync(path, content);
  const source = await openInputFile(path, { stdin: emptyInput });
  const table = await openTable(source, {
    headerNames,
    encoding,
    defaultSheet: 'rows',
    hasFlags: true,
  });
  return Array.fromAsync(table.rows());
}

const fragments = fc.constantFrom(
  ...[
    '"',
    ',',
    ';',
    '\t',
    '\n',
    '\r\n',
    '\r',
    '{',
    '}',
    '[',
    ']',
    ':',
    '\\',
    'name',
    'phone',
    '=1',
    "'",
    ' ',
    'é',
    'م',
    '\u{feff}',
  ],
  ...['null', '1', '\u0000', '"name":', '{"a":1}'],
);
const texts = fc
  .array(fc.oneof(fragments, fc.string({ unit: 'binary' })), { maxLength: 40 })
  .map((parts) => parts.join(''));
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  texts.map((text) => Buffer.from(text)),
  texts.map((text) => Buffer.from(text, 'utf16le')),
);

test.each(['any.csv', 'any.ndjson', 'any.json', 'any'])(
  'any bytes in %s: return rows or a usage failure',
  async (name) => {
    await fc.assert(
      fc.asyncProperty(
        bytes,
        fc.constantFrom(undefined, 'utf-8', 'windows-1256', 'utf-16le', 'gb18030'),
        async (content, encoding) => {
          try {
            for (const { line, raw } of await rowsOf(name, content, encoding)) {
              expect(line).toBeGreaterThan(0);
              expect(typeof raw).toBe('string');
            }
          } catch (error) {
            if (!(error instanceof Failure)) throw error;
            expect(error.category).toBe('usage');
          }
        },
      ),
    );
  },
);

const cells = fc.string({
  unit: fc.constantFrom('a', 'م', '"', ',', ';', '\n', '\r\n', ' ', '=', "'", '1'),
  maxLength: 8,
});

test('CSV with any quoted cells: is read back unchanged', async () => {
  const table = fc.array(
    fc.tuple(
      cells,
      cells.map((cell) => `x${cell}`),
    ),
    { minLength: 1, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n'),
      async (rows, delimiter, lineBreak) => {
        const text = stringify([['name', 'phone'], ...rows], {
          delimiter,
          record_delimiter: lineBreak,
          quoted: true,
        });
        const readRows = await rowsOf('table.csv', text);
        expect(readRows.map((row) => [row.cells.get('name'), row.cells.get('phone')])).toEqual(rows);
        const lines = text.split(/\r\n|\n|\r/);
        for (const { line, raw } of readRows)
          expect(raw.startsWith((lines[line - 1] ?? '').slice(0, 3))).toBe(true);
      },
    ),
  );
});

test('JSON and NDJSON: objects are returned with their line numbers', async () => {
  const rows = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }), {
    minLength: 1,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(rows, async (objects) => {
      const texts = objects.map((object) => JSON.stringify(object));
      const json = await rowsOf('rows.json', `[\n${texts.join(',\n')}\n]`);
      const ndjson = await rowsOf('rows.ndjson', texts.join('\n'));
      expect(json.map(({ raw }) => raw)).toEqual(texts);
      expect(json.map(({ line }) => line)).toEqual(texts.map((_, index) => index + 2));
      expect(ndjson.map(({ raw, line }) => [raw, line])).toEqual(
        texts.map((text, index) => [text, index + 1]),
      );
    }),
  );
});

test('number in the format of a locale: is read as the same number', () => {
  const amounts = fc.tuple(fc.integer({ min: -9_999_999, max: 9_999_999 }), fc.integer({ min: 0, max: 99 }));
  fc.assert(
    fc.property(
      amounts,
      fc.constantFrom('en', 'de', 'fr', 'ar-EG', 'de-CH', 'fa'),
      ([whole, cents], locale) => {
        const value = Number(`${whole}.${String(cents).padStart(2, '0')}`);
        const format = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
        const text = new Intl.NumberFormat(locale, format).format(value);
        const separator = locale === 'de' || locale === 'fr' ? 'comma' : 'point';
        expect(Number(toApiNumber(text, separator))).toBe(value);
        if (!/[٠-٩۰-۹’]/.test(text)) expect(detectDecimalSeparator(text)).toBe(separator);
      },
    ),
  );
});

test('date in any order of day, month and year: is read as the same date', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('0101-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
      (date) => {
        const day = date.toISOString().slice(0, 10);
        const [year, month, dayOfMonth] = day.split('-');
        expect(toApiDate(`${dayOfMonth}/${month}/${year}`, 'dmy')).toBe(day);
        expect(toApiDate(`${month}-${dayOfMonth}-${year}`, 'mdy')).toBe(day);
        expect(toApiDate(`${year}/${month}/${dayOfMonth}`, 'dmy')).toBe(day);
      },
    ),
  );
});

test.each([
  '2026-02-31 08:00:00',
  '2026-11-20 25:61',
  '2026-11-20 08:60',
  '2026-11-20 13:00 PM',
  '2026-11-20',
])('toApiTimestamp: returns undefined for %s', (text) => {
  expect(toApiTimestamp(text, 'ymd')).toBeUndefined();
});
