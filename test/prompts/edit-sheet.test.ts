import { describe, expect, test } from 'vitest';
import { formatSheet, parseSheet } from '../../src/prompts/editing/edit-sheet.ts';

const rows = [
  { id: 'a1', label: 'Tomatoes (SKU-001)', cells: ['kg', '30'], initial: '' },
  { id: 'b2', label: 'Olive Oil | extra (SKU-002)', cells: ['l', ''], initial: '4' },
  { id: 'c3', label: 'طماطم كرزية (SKU-003)', cells: ['kg', '5'], initial: '' },
];
const question = {
  message: 'Items: quantity of each',
  header: 'quantity',
  columns: ['unit', 'par level'],
  rows,
  validate: (text: string) => (/^\d+$/.test(text) ? undefined : 'Quantity must be a number.'),
};

describe('a sheet as text for the editor', () => {
  const text = formatSheet(question);

  test('prints one line for each row, with aligned columns', () => {
    const [headerLine, ...lines] = text.trimEnd().split('\n').slice(4);
    expect(headerLine).toBe('# quantity   | item                        | unit | par level | id');
    expect(lines[0]).toBe('             | Tomatoes (SKU-001)          | kg   | 30        | a1');
    expect(lines[1]).toBe('4            | Olive Oil / extra (SKU-002) | l    |           | b2');
  });

  test('parses its own output back to the same rows', () => {
    expect(parseSheet(text, question)).toEqual({ texts: ['', '4', ''], problems: {}, text });
  });

  test('has the problem of a row above it, and removes the problem when it is parsed', () => {
    const sheetWithProblems = formatSheet({
      ...question,
      rows: rows.map((row) => ({ ...row, problem: 'Too much.' })),
    });
    expect(sheetWithProblems).toContain('#! Too much.\n             | Tomatoes');
    expect(parseSheet(sheetWithProblems, question).text).not.toContain('#!');
  });
});

describe('edited cells of a sheet', () => {
  test.each([
    ['by ID', '7 | anything | a1', 0],
    ['by its name', '7 | Olive Oil / extra (SKU-002)', 1],
    ['by a part that only one name contains', '7 | sku-002', 1],
    ['with other spellings of Arabic letters', '7 | طماطم كرزيه', 2],
    ['with CRLF at the end', '7 | Tomatoes (SKU-001) | kg | 30 | a1\r', 0],
  ])('a row: is found %s', (_, line, row) => {
    expect(parseSheet(line, question)).toMatchObject({ problems: {} });
    expect(parseSheet(line, question).texts[row]).toBe('7');
  });

  test('invalid cells: problems name the line, and the text that opens again has them as comments', () => {
    const text = [
      '# a note',
      'many | Tomatoes | a1',
      '',
      '3 | Oil | b2',
      '4 | Oil | b2',
      '5 | SKU',
      '6',
    ].join('\n');
    const parsedSheet = parseSheet(text, question);
    const lines = parsedSheet.text.split('\n');
    expect(
      Object.entries(parsedSheet.problems).map(([line, [problem]]) => [
        lines[Number(line.slice(5)) - 1],
        problem,
      ]),
    ).toEqual([
      ['many | Tomatoes | a1', 'Tomatoes (SKU-001): Quantity must be a number.'],
      ['4 | Oil | b2', 'Olive Oil | extra (SKU-002): Duplicate of line 5.'],
      ['5 | SKU', 'No item or several items match "SKU".'],
      ['6', expect.stringContaining('| is missing')],
    ]);
    expect(parseSheet(parsedSheet.text, question)).toEqual(parsedSheet);
  });
});
