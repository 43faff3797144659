import { expect, test } from 'vitest';
import { painter } from '../../src/terminal/color.ts';

test('styles: are applied only with color on, regardless of the environment', () => {
  expect(painter(true).red('no')).toBe('\x1b[31mno\x1b[39m');
  expect(painter(true).strike('gone')).toBe('\x1b[9mgone\x1b[29m');
  expect(painter(false).red('no')).toBe('no');
});
