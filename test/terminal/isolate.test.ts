import { expect, test } from 'vitest';
import { renderCard } from '../../src/cli/terminal/card.ts';
import { isolateText, spaceAfter } from '../../src/cli/terminal/clean.ts';
import { renderTable } from '../../src/cli/terminal/table.ts';
import { displayWidth } from '../../src/cli/terminal/width.ts';

const rows = [
  { name: 'نبيل النجار', phone: '532962963' },
  { name: 'שרה', phone: '510000000' },
  { name: 'Huda', phone: '517654321' },
];
const columns = [{ name: 'name' }, { name: 'phone' }];

test('table: right-to-left text is isolated, other text is not, and the columns stay aligned', () => {
  const text = renderTable(columns, rows).text;
  const isolatedText = renderTable(columns, rows, { isolate: true }).text;
  expect(isolatedText).toContain('\u2068نبيل النجار\u2069 \u2800532962963');
  expect(isolatedText).toContain('\u2068שרה\u2069');
  // Terminals without isolates need a left-to-right column between the two.
  expect(isolatedText.replaceAll(/[\u2068\u2069]/g, '').replaceAll('\u2800', ' ')).toBe(text);
  expect(isolatedText.match(/\u2068/g)).toHaveLength(2);
  expect(text).not.toMatch(/[\u2068\u2069\u2800]/);
  expect(displayWidth(isolateText('נ'))).toBe(displayWidth('נ'));
});

test('card: each line of right-to-left text is isolated', () => {
  const entries = [{ name: 'notes', label: 'notes' }];
  const card = renderCard(entries, { notes: 'ملاحظة\nplain' }, { isolate: true });
  expect(card).toContain('\u2068ملاحظة\u2069\n  plain');
});

test('spaceAfter: is a blank left-to-right character after right-to-left text, and a space otherwise', () => {
  expect([spaceAfter('Riverside'), spaceAfter('فرع النهر'), spaceAfter('12')]).toEqual([' ', '\u2800', ' ']);
  expect(displayWidth(spaceAfter('שרה'))).toBe(1);
});
