import { expect, test } from 'vitest';
import { createPaint } from '../../src/cli/terminal/color.ts';

test('styles: are applied only with color on, regardless of the environment', () => {
  expect(createPaint(true).red('no')).toBe('\x1b[31mno\x1b[39m');
  expect(createPaint(true).strike('gone')).toBe('\x1b[9mgone\x1b[29m');
  expect(createPaint(false).red('no')).toBe('no');
});
