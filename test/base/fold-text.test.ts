import { expect, test } from 'vitest';
import { containsWords, foldText, foldWords } from '../../src/base/fold-text.ts';

test.each([
  ['أحمد', 'احمد'],
  ['الورديّة', 'الورديه'],
  ['مصطفى', 'مصطفي'],
  ['كـــتاب', 'کتاب'],
  ['٠١٢', '012'],
  ['Café', 'CAFE'],
])('foldText: %s and %s become equal', (a, b) => {
  expect(foldText(a)).toBe(foldText(b));
});

test('containsWords: finds words in any order, separated by spaces or commas', () => {
  const text = foldText('Flour (SKU-029), White');
  expect(containsWords(text, foldWords('white,flo'))).toBe(true);
  expect(containsWords(text, foldWords(' 029  white '))).toBe(true);
  expect(containsWords(text, foldWords('white rice'))).toBe(false);
});
