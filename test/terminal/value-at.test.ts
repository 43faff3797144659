import { expect, test } from 'vitest';
import { formatPlain, valueAt } from '../../src/cli/terminal/value-at.ts';

const record = {
  name: 'Latte',
  category: { name: 'Coffee' },
  tags: [{ name: 'hot' }, { name: 'milk' }],
  nothing: null,
  'a.b': 'dotted',
};

test.each([
  ['name', 'Latte'],
  ['category.name', 'Coffee'],
  ['tags.name', ['hot', 'milk']],
  ['nothing', null],
  ['nothing.name', undefined],
  ['missing', undefined],
  ['name.first', undefined],
  ['a.b', 'dotted'],
  ['constructor', undefined],
  ['__proto__.toString', undefined],
])('valueAt of %s: returns %j', (path, value) => {
  expect(valueAt(record, path)).toEqual(value);
});

test.each([
  [null, ''],
  [undefined, ''],
  ['text', 'text'],
  [12.5, '12.5'],
  [false, 'false'],
  [['a', 'b'], 'a, b'],
  [{ a: 1 }, '{"a":1}'],
])('formatPlain of %j: returns %j', (value, text) => {
  expect(formatPlain(value)).toBe(text);
});
