import { expect, test } from 'vitest';
import { cellAt, columnsOf } from '../../src/cli/terminal/tabulate.ts';

const table = (rows: readonly unknown[]) => {
  const columns = columnsOf(rows);
  return [columns, ...rows.map((row) => columns.map((column) => cellAt(row, column)))];
};

test.each([
  [
    'lists',
    [
      ['a', 1],
      ['b', 2, true],
    ],
    [
      ['1', '2', '3'],
      ['a', 1, undefined],
      ['b', 2, true],
    ],
  ],
  ['scalars', ['a', 5, null], [['value'], ['a'], [5], [null]]],
  [
    'nested objects',
    [
      { n: 'x', c: { id: 1, of: { name: 'y' } } },
      { n: 'z', c: null },
    ],
    [
      ['n', 'c.id', 'c.of.name'],
      ['x', 1, 'y'],
      ['z', undefined, undefined],
    ],
  ],
  [
    'an object in one row and text in the next',
    [{ c: { id: 1 } }, { c: 'text' }],
    [
      ['c.id', 'c'],
      [1, { id: 1 }],
      [undefined, 'text'],
    ],
  ],
  [
    'empty lists and objects',
    [{ list: [], object: {} }],
    [
      ['list', 'object'],
      [[], {}],
    ],
  ],
  [
    'names with dots',
    [{ 'a.b': 1, c: { 'd.e': 2 } }],
    [
      ['a.b', 'c.d.e'],
      [1, 2],
    ],
  ],
  [
    'a mixture',
    [{ id: 1 }, 'x'],
    [
      ['id', 'value'],
      [1, undefined],
      [undefined, 'x'],
    ],
  ],
  ['an empty list', [], [[]]],
])('tabulate: returns the columns and cells of %s', (_, rows, expected) => {
  expect(table(rows)).toEqual(expected);
});
