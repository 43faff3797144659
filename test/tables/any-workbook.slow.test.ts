import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { openInputFile } from '../../src/engine/tables/input-file.ts';
import { openTable } from '../../src/engine/tables/open-table.ts';
import {
  formatSheetHeader,
  formatSheetRow,
  workbookBytes,
} from '../../src/engine/tables/workbook/book-bytes.ts';
import { exactNumber, type SheetCell } from '../../src/engine/tables/workbook/cell.ts';
import { fc } from '../harness/fast-check.ts';
import { repetitions } from '../harness/repetitions.ts';
import { dayCell, formulaCell, partsOf } from '../harness/workbook/create-workbook.ts';
import { createZip } from '../harness/workbook/zip.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-any-workbook-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function rawRows(content: Uint8Array): Promise<SheetCell[][]> {
  const path = join(folder, 'any.xlsx');
  writeFileSync(path, content);
  const source = await openInputFile(path, { stdin: Readable.from([]) as unknown as NodeJS.ReadableStream });
  try {
    const table = await openTable(source, {
      headerNames: new Set(['name']),
      defaultSheet: 'customers',
      hasFlags: true,
    });
    return (await Array.fromAsync(table.rows())).map(({ raw }) => JSON.parse(raw) as SheetCell[]);
  } finally {
    await source.close();
  }
}

const days = fc
  .date({ min: new Date('1900-03-01'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 19).replace('T', ' ').replace(' 00:00:00', ''));
const texts = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.string({
      unit: fc.constantFrom(
        '_x0041_',
        '_x005F_',
        '_',
        'x',
        '\uffff',
        '\r',
        '\n',
        '\t',
        ' ',
        '\u0000',
        'ع',
        '<',
        '&',
        '"',
        "'",
        '=',
      ),
    }),
    fc.constantFrom('#N/A', '#REF!', '#NAME?', '#DIV/0!', '#CALC!', '#N/A '),
  )
  .filter((text) => text !== '');
const numbers = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .map((number) => Number(number.toPrecision(15)))
  .filter(
    (number) => exactNumber(String(number)) === number && Math.abs(number) < 1e15 && !Object.is(number, -0),
  );
const cells: fc.Arbitrary<SheetCell> = fc.oneof(
  texts,
  numbers,
  fc.boolean(),
  days.map((date) => ({ date })),
);

/** Rows with only blank cells are ignored, because spreadsheets leave such rows behind. */
const isBlank = (cell: SheetCell) => typeof cell === 'string' && cell.trim() === '';

test('workbook: every text, number, date and boolean is read back as written', async () => {
  const anyRows = fc.array(fc.array(cells, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(anyRows, async (rows) => {
      const head = formatSheetHeader({
        sheet: 'customers',
        columns: ['a', 'b', 'c', 'd'].map((name) => ({ name })),
      });
      const chunks = await Array.fromAsync(workbookBytes([head, ...rows.map(formatSheetRow)]));
      expect(await rawRows(Buffer.concat(chunks))).toEqual(rows.filter((row) => !row.every(isBlank)));
    }),
    { numRuns: repetitions(6) },
  );
});

const intactParts = partsOf([
  {
    name: 'customers',
    rows: [
      ['name', 'phone', 'birth_date', 'cost'],
      ['منى', 510_999_001, dayCell(33_013), formulaCell('1+1', '2')],
      ['"x"', '0510999002', '1990-05-20', true],
    ],
    extraXml: '<mergeCells count="1"><mergeCell ref="A9:B9"/></mergeCells>',
  },
]);
const intactBytes = createZip(intactParts);

/** Workbooks with changed bytes, either in the archive or in a part that is then packed correctly. */
const damaged = fc.oneof(
  fc.tuple(places(intactBytes.length), fc.nat(intactBytes.length)).map(([changes, length]) => {
    const bytes = Buffer.from(intactBytes);
    for (const [offset, value] of changes) bytes[offset] = value;
    return length % 3 === 0 ? bytes.subarray(0, length) : bytes;
  }),
  fc
    .tuple(fc.nat(intactParts.length - 1), places(400), xmlFragments())
    .map(([partIndex, changes, insertedText]) => {
      const parts = intactParts.map((part, index) => {
        if (index !== partIndex) return part;
        const content = Buffer.from(part.content);
        for (const [place, value] of changes) content[place % content.length] = value;
        const [cut] = changes[0] ?? [0];
        const text = content.toString('latin1');
        return {
          ...part,
          content: text.slice(0, cut % text.length) + insertedText + text.slice(cut % text.length),
        };
      });
      return createZip(parts);
    }),
);

function places(length: number) {
  return fc.array(fc.tuple(fc.nat(length - 1), fc.nat(255)), { maxLength: 6 });
}

function xmlFragments() {
  return fc.constantFrom(
    ...[
      '',
      '<c r="ZZZZ99999999"/>',
      '<row r="-1">',
      '<row r="1e9">',
      't="s"><v>99</v>',
      '&#0;',
      '&x;',
      ']]>',
    ],
    ...[
      '<v>1e999</v>',
      '<v>NaN</v>',
      's="99"',
      '<mergeCell ref="A1:XFD1048576"/>',
      '<f t="shared" si="-1"/>',
    ],
    '<a>'.repeat(20_000),
  );
}

test('damaged workbook: is read or refused, without a hang or crash', async () => {
  await fc.assert(
    fc.asyncProperty(damaged, async (content) => {
      try {
        for (const row of await rawRows(content)) expect(Array.isArray(row)).toBe(true);
      } catch (error) {
        // A refusal with a message, within the limits of time and memory.
        if (!(error instanceof Failure)) throw error;
        expect(error).toMatchObject({
          category: 'usage',
          message: expect.stringMatching(/^The file any\.xlsx .+\.$/s),
        });
      }
    }),
    { numRuns: repetitions(40) },
  );
});
