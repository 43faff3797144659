import { describe, expect, test } from 'vitest';
import { columnGap, fitWidths, visibleColumns } from '../../src/terminal/fit.ts';
import { fc } from '../harness/fast-check.ts';

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
  const rankedColumn = (naturalWidth: number, rank: number) => ({ naturalWidth, isIndivisible: true, rank });

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
