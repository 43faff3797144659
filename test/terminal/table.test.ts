import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import {
  type Column,
  columnGap,
  fitWidths,
  renderTable,
  visibleColumns,
} from '../../src/cli/terminal/table.ts';
import { fc } from '../harness/fast-check.ts';
import { countSegments } from './count-segments.ts';
import { dangerous, hostileTexts } from './fake-streams.ts';

const columns: Column[] = [
  { name: 'id', header: 'ID', isIndivisible: true },
  { name: 'name', header: 'NAME' },
  { name: 'cost', header: 'COST', align: 'right' },
  { name: 'tags.name', header: 'TAGS' },
];
const rows = [
  { id: 'a1b2', name: 'Fresh Farms', cost: 12.5, tags: [{ name: 'local' }, { name: 'daily' }] },
  { id: 'c3d4', name: 'مَزَارِع', cost: 1000, tags: [] },
  { id: 'e5f6', name: null, cost: null, tags: [] },
];

describe('table', () => {
  test('has a header, two spaces between columns, right-aligned numbers and a dash for no value', () => {
    expect(renderTable(columns, rows)).toEqual({
      shownColumns: columns.length,
      headerLines: 1,
      text: [
        'ID    NAME         COST  TAGS',
        'a1b2  Fresh Farms  12.5  local, daily',
        'c3d4  مَزَارِع        1000  –',
        'e5f6  –               –  –',
        '',
      ].join('\n'),
    });
  });

  test('a window that is too narrow: wraps headers before it cuts data', () => {
    const longHeaders: Column[] = [
      { name: 'code', header: 'code' },
      { name: 'maximum', header: 'maximum discount amount', align: 'right' },
    ];
    const rewards = [{ code: 'WP5B66YDMV7I', maximum: 20 }];
    expect(renderTable(longHeaders, rewards, { width: 24 }).text.split('\n')).toEqual([
      '               maximum',
      '              discount',
      'code            amount',
      'WP5B66YDMV7I        20',
      '',
    ]);
    expect(renderTable(longHeaders, rewards).text).toContain('code          maximum discount amount\n');
  });

  test('in an ASCII locale: is plain ASCII except the data', () => {
    const { text } = renderTable(columns, [{ id: 'a', name: 'A long name of a supplier' }], {
      unicode: false,
      width: 30,
    });
    expect(text).toBe('ID  NAME            COST  TAGS\na   A long name...     -  -\n');
  });

  test('shows the formatted value of a column, whose formatter is never called without a value', () => {
    const visibleColumns: Column[] = [
      { name: 'is_active', header: 'ACTIVE', show: (value) => (value === true ? 'yes' : 'no') },
      { name: 'whole', header: 'WHOLE', value: (record) => Object.keys(record).length, align: 'right' },
    ];
    expect(renderTable(visibleColumns, [{ is_active: true }, { is_active: null }]).text).toBe(
      'ACTIVE  WHOLE\nyes         1\n–           1\n',
    );
  });

  test('without rows: prints the header', () => {
    expect(renderTable(columns, []).text).toBe('ID  NAME  COST  TAGS\n');
  });

  test('highlights deleted and changed rows and the header only in color', () => {
    const highlight = (record: { id?: unknown }) => (record.id === 'a1b2' ? 'deleted' : 'changed');
    const { text } = renderTable(columns, rows.slice(0, 2), { color: true, highlight });
    const [header, deleted, changed] = text.split('\n');
    expect(header).toContain('\x1b[1m');
    expect(deleted).toContain('\x1b[9m');
    expect(changed).toContain('\x1b[7m');
    expect(stripVTControlCharacters(text)).toBe(renderTable(columns, rows.slice(0, 2), { highlight }).text);
  });
});

describe('table in a window', () => {
  test('cuts text with an ellipsis, but not ids and numbers', () => {
    const { text, note } = renderTable(columns, [{ id: 'a1b2c3d4', name: 'x'.repeat(50), cost: 1000 }], {
      width: 32,
    });
    expect(text).toBe(`ID        NAME        COST  TAGS\na1b2c3d4  ${'x'.repeat(9)}…  1000  –\n`);
    expect(note).toBeUndefined();
  });

  test('a narrow window: a note names the omitted columns', () => {
    const { text, note } = renderTable(columns, rows, { width: 20 });
    expect(text.split('\n')[1]).toBe('a1b2  Fresh F…  12.5');
    expect(note).toContain('Hidden columns: tags.name');
  });

  test('without a window: cuts nothing', () => {
    expect(renderTable(columns, [{ id: 'a', name: 'x'.repeat(10_000) }]).text).toContain('x'.repeat(10_000));
  });

  test('a cut within a double-width character is still visible', () => {
    const name: Column[] = [{ name: 'name', header: 'N' }];
    expect(renderTable(name, [{ name: '魚'.repeat(6) }], { width: 10 }).text).toBe('N\n魚魚魚魚…\n');
    expect(renderTable(name, [{ name: '魚'.repeat(6) }], { width: 11 }).text).toBe('N\n魚魚魚魚魚…\n');
  });
});

describe('table with text of the service', () => {
  test.each(Object.entries(hostileTexts))('text with %s stays in its cell', (_kind, name) => {
    const { text } = renderTable(columns, [{ id: name, name, cost: 1, tags: [{ name }] }], { width: 80 });
    expect(text.split('\n')).toHaveLength(3);
    expect(text.replaceAll('\n', '')).not.toMatch(dangerous);
  });

  test('text in any script leaves the columns aligned, within the window', () => {
    const unit = fc.constantFrom(
      'a',
      'é',
      'e\u{301}',
      'م',
      'طَ',
      '鮮',
      '👨\u{200d}👩\u{200d}👧',
      '🇸🇦',
      'กำ',
      'क्षि',
      '한',
      '\x1b',
      '\u{202e}',
    );
    const cell = fc.oneof(fc.string({ unit, maxLength: 40 }), fc.constant(null));
    const visibleColumns: Column[] = [
      { name: 'a', header: 'A' },
      { name: 'b', header: 'B' },
      { name: 'c', header: 'C', align: 'right' },
    ];
    const records = fc.array(fc.record({ a: cell, b: cell, c: fc.integer() }), { minLength: 1 });
    fc.assert(
      fc.property(records, fc.integer({ min: 40, max: 120 }), (list, width) => {
        const [header, ...lines] = renderTable(visibleColumns, list, { width }).text.trimEnd().split('\n');
        const full = stringWidth(header ?? '');
        expect(full).toBeLessThanOrEqual(width);
        for (const line of lines) expect(stringWidth(line)).toBe(full);
      }),
      { numRuns: 300 },
    );
  });

  test('10,000 characters in every cell: are not read beyond the window', () => {
    const list = Array.from({ length: 100 }, () => ({
      id: 'a',
      name: '鮮魚👨\u{200d}👩\u{200d}👧'.repeat(1_000),
    }));
    const segments = countSegments();
    renderTable(columns, list, { width: 80 });
    expect(segments()).toBeLessThan(list.length * 500);
  });
});

test('table of eight columns: ten times as many rows take ten times as many steps', () => {
  const names = ['id', 'name', 'name_localized', 'phone', 'email', 'created_at', 'is_active', 'cost'];
  const wide = names.map(
    (name): Column => ({ name, header: name.toUpperCase(), align: name === 'cost' ? 'right' : 'left' }),
  );
  const list = Array.from({ length: 1_000 }, (_, index) => ({
    id: `id-${index}`,
    name: `Customer number ${index}`,
    name_localized: `عَمِيل ${index}`,
    phone: `+9665${index}`,
    email: index % 3 === 0 ? null : `customer-${index}@example.com`,
    created_at: '2024-01-01 10:00:00',
    is_active: true,
    cost: index / 4,
  }));
  const segments = countSegments();
  renderTable(wide, list.slice(0, 100), { width: 120, color: true });
  const countOfFewRows = segments();
  renderTable(wide, list, { width: 120, color: true });
  expect(segments() - countOfFewRows).toBeLessThan(countOfFewRows * 11);
});

describe('widths of columns', () => {
  const text = (naturalWidth: number) => ({ naturalWidth, isIndivisible: false });
  const id = (naturalWidth: number) => ({ naturalWidth, isIndivisible: true });

  test('columns that fit: keep their width', () => {
    expect(fitWidths([id(8), text(20), text(10)], 42)).toEqual([8, 20, 10]);
  });

  test('a table that is too wide: shrinks the widest text column first, to fit the window', () => {
    expect(fitWidths([id(8), text(60), text(10)], 42)).toEqual([8, 20, 10]);
    expect(fitWidths([id(8), text(60), text(50)], 41)).toEqual([8, 15, 14]);
  });

  test('columns that cannot be cut: are omitted', () => {
    expect(fitWidths([id(8), text(20), id(12)], 30)).toEqual([8, 20]);
  });

  test('first column: always stays, cut if necessary', () => {
    expect(fitWidths([id(36), text(20)], 20)).toEqual([20]);
    expect(fitWidths([], 20)).toEqual([]);
  });

  test('visible columns: always fit the window', () => {
    const anyColumn = fc.record({
      naturalWidth: fc.integer({ min: 1, max: 300 }),
      isIndivisible: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(anyColumn, { minLength: 1 }),
        fc.integer({ min: 1, max: 250 }),
        (columns, windowWidth) => {
          const widths = fitWidths(columns, windowWidth);
          const totalWidth = widths.reduce(
            (total, width) => total + width,
            columnGap.length * (widths.length - 1),
          );
          expect(widths.length).toBeGreaterThan(0);
          expect(totalWidth).toBeLessThanOrEqual(windowWidth);
          expect(
            widths.every((width, index) => width >= 1 && width <= (columns[index]?.naturalWidth ?? 0)),
          ).toBe(true);
        },
      ),
    );
  });

  describe('window too narrow for all columns', () => {
    const rankedColumn = (naturalWidth: number, rank: number) => ({
      naturalWidth,
      isIndivisible: true,
      rank,
    });

    test('omits columns with the highest rank first, and the rightmost of equal rank', () => {
      const columns = [
        rankedColumn(10, 2),
        rankedColumn(10, 0),
        rankedColumn(10, 3),
        rankedColumn(10, 1),
        rankedColumn(10, 2),
      ];
      expect(visibleColumns(columns, 58)).toEqual([0, 1, 2, 3, 4]);
      expect(visibleColumns(columns, 50)).toEqual([0, 1, 3, 4]);
      expect(visibleColumns(columns, 40)).toEqual([0, 1, 3]);
      expect(visibleColumns(columns, 30)).toEqual([1, 3]);
      expect(visibleColumns(columns, 12)).toEqual([1]);
    });

    test('keeps requested columns, however narrow the window is', () => {
      const requestedColumns = [30, 12, 40].map((naturalWidth) => ({
        naturalWidth,
        isIndivisible: true,
        isRequested: true,
      }));
      expect(visibleColumns(requestedColumns, 30)).toEqual([0, 1, 2]);
      const widths = fitWidths(requestedColumns, 30);
      expect(widths).toHaveLength(3);
      expect(widths.reduce((sum, width) => sum + width, 2 * columnGap.length)).toBe(30);
    });
  });
});
