import { expect, test } from 'vitest';
import { fitWidths, gap } from '../../../src/terminal/fit.ts';
import { fc } from '../../harness/fast-check.ts';

const text = (natural: number) => ({ natural, whole: false });
const whole = (natural: number) => ({ natural, whole: true });

test('columns that fit keep their width', () => {
  expect(fitWidths([whole(8), text(20), text(10)], 42)).toEqual([8, 20, 10]);
});

test('the widest column of text gives way first, to the last column of the window', () => {
  expect(fitWidths([whole(8), text(60), text(10)], 42)).toEqual([8, 20, 10]);
  expect(fitWidths([whole(8), text(60), text(50)], 41)).toEqual([8, 15, 14]);
});

test('columns of use only uncut are left out rather than cut', () => {
  expect(fitWidths([whole(8), text(20), whole(12)], 30)).toEqual([8, 20]);
});

test('the first column stays, cut if need be', () => {
  expect(fitWidths([whole(36), text(20)], 20)).toEqual([20]);
  expect(fitWidths([], 20)).toEqual([]);
});

test('the columns that are shown always fit the window', () => {
  const need = fc.record({ natural: fc.integer({ min: 1, max: 300 }), whole: fc.boolean() });
  fc.assert(
    fc.property(fc.array(need, { minLength: 1 }), fc.integer({ min: 1, max: 250 }), (needs, room) => {
      const widths = fitWidths(needs, room);
      const used = widths.reduce((total, width) => total + width, gap.length * (widths.length - 1));
      expect(widths.length).toBeGreaterThan(0);
      expect(used).toBeLessThanOrEqual(room);
      expect(widths.every((width, index) => width >= 1 && width <= (needs[index]?.natural ?? 0))).toBe(true);
    }),
  );
});
