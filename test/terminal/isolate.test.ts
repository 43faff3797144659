import { expect, test } from 'vitest';
import { renderCard } from '../../src/terminal/card.ts';
import { isolated, spaceBehind } from '../../src/terminal/isolate.ts';
import { renderTable } from '../../src/terminal/table.ts';
import { displayWidth } from '../../src/terminal/width.ts';

const rows = [
  { name: 'نبيل النجار', phone: '532962963' },
  { name: 'שרה', phone: '510000000' },
  { name: 'Huda', phone: '517654321' },
];
const columns = [{ name: 'name' }, { name: 'phone' }];

test('text from right to left is isolated, other text is not, and the columns stay where they were', () => {
  const plain = renderTable(columns, rows).text;
  const shown = renderTable(columns, rows, { isolate: true }).text;
  expect(shown).toContain('\u2068نبيل النجار\u2069 \u2800532962963');
  expect(shown).toContain('\u2068שרה\u2069');
  // Terminals that know no isolates need a column that runs from left to right between the two.
  expect(shown.replaceAll(/[\u2068\u2069]/g, '').replaceAll('\u2800', ' ')).toBe(plain);
  expect(shown.match(/\u2068/g)).toHaveLength(2);
  expect(plain).not.toMatch(/[\u2068\u2069\u2800]/);
  expect(displayWidth(isolated('נ'))).toBe(displayWidth('נ'));
});

test('on a card, too, each line by itself', () => {
  const entries = [{ name: 'notes', label: 'notes' }];
  const card = renderCard(entries, { notes: 'ملاحظة\nplain' }, { isolate: true });
  expect(card).toContain('\u2068ملاحظة\u2069\n  plain');
});

test('what follows a text from right to left stays behind it, where both stand in one line', () => {
  expect([spaceBehind('Riverside'), spaceBehind('فرع النهر'), spaceBehind('12')]).toEqual([
    ' ',
    '\u2800',
    ' ',
  ]);
  expect(displayWidth(spaceBehind('שרה'))).toBe(1);
});
