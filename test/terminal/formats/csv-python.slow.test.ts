import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { csv, unguardCell } from '../../../src/cli/terminal/formats/csv.ts';
import { fc } from '../../harness/fast-check.ts';

/** Returns the rows that Python's csv module reads from the bytes; it accepts a single CR or LF as a row end. */
const script = `
import csv, io, json, sys
text = sys.stdin.buffer.read().decode("utf-8-sig")
csv.field_size_limit(10_000_000)
print(json.dumps(list(csv.reader(io.StringIO(text, newline=""), delimiter=sys.argv[1]))))
`;
const hasPython = spawnSync('python3', ['--version']).status === 0;

function parseWithPython(delimiter: ',' | ';', text: string): string[][] {
  const { stdout, stderr, status } = spawnSync('python3', ['-c', script, delimiter], {
    input: text,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

/** Generates cells with characters that end rows and cells or start formulas, and ordinary text. */
const cell = fc
  .array(
    fc.oneof(
      fc.constantFrom('\r', '\n', '\r\n', '"', ',', ';', '\t', ' ', '\u{feff}', '\u{a0}', '\u{200e}', "'"),
      fc.constantFrom('=', '+', '-', '@', '＝', '1', '.5', '-7', "=cmd|' /C calc'!A0", 'مطعم', '寿司'),
      fc.string({ unit: 'grapheme', maxLength: 3 }).filter((text) => !text.includes('\0')),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));

const tables = fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { minLength: 60, maxLength: 60 });

async function csvOf(rows: readonly (readonly string[])[], bom: boolean): Promise<string> {
  const writer = await csv.open({ bom });
  let text = '';
  for await (const chunk of writer.formatList(rows.map(([a, b], index) => ({ id: `i${index}`, a, b }))))
    text += chunk;
  return text;
}

const formulaPattern = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u;
const numberPattern = /^[+\-\d ().,;]+(e[+-]?\d+)?%?;?$/i;

describe.skipIf(!hasPython)('a CSV file parsed by Python', () => {
  test('has the original cells, also with CR, LF, quotes, byte order marks and spaces', async () => {
    await fc.assert(
      fc.asyncProperty(tables, fc.boolean(), async (rows, bom) => {
        const [header, ...parsedRows] = parseWithPython(',', await csvOf(rows, bom));
        expect(header).toEqual(['id', 'a', 'b']);
        expect(
          parsedRows.map((cells) => cells.slice(1).map((text) => (bom ? unguardCell(text) : text))),
        ).toEqual(rows);
      }),
      { numRuns: 3 },
    );
  });

  test.each([',', ';'] as const)('contains no formula with "%s" as the delimiter', async (delimiter) => {
    await fc.assert(
      fc.asyncProperty(tables, async (rows) => {
        const cells = parseWithPython(delimiter, await csvOf(rows, true)).flat();
        expect(cells.filter((text) => formulaPattern.test(text) && !numberPattern.test(text))).toEqual([]);
      }),
      { numRuns: 3 },
    );
  });

  test('keeps negative numbers as numbers', async () => {
    const writer = await csv.open();
    const text = writer.formatValue({ id: 'x', cost: -2.5, text: '-2.50' });
    expect(parseWithPython(',', text)[1]).toEqual(['x', '-2.5', '-2.50']);
  });
});
