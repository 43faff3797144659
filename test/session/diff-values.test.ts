import { expect, test } from 'vitest';
import { isSameValue } from '../../src/account/session/diff/values.ts';
import { decimal, ring } from '../../src/api/contract/field.ts';
import { ExactNumber, parseExactJson } from '../../src/base/number-text.ts';

const exact = (text: string) => new ExactNumber(text);

test.each([
  [exact('7.2999999999999998'), 7.3, true],
  [exact('7.2999999999999998'), exact('7.2999999999999998'), true],
  [exact('12345678901234567890'), exact('12345678901234567891'), false],
  [exact('12345678901234567890'), exact('12345678901234567890'), true],
  [exact('1e400'), exact('1e401'), false],
  [-0, 0, true],
  ['0.10', 0.1, true],
])('isSameValue of the numbers %s and %s: returns %s', (current, desired, isSame) => {
  expect(isSameValue(decimal(), current, desired)).toBe(isSame);
});

test.each(['7.2999999999999998', '12345678901234567890', '-1e400', '1e-400', '0.1', '100000000000000000000'])(
  'the number %s: is unchanged after parsing and writing JSON',
  (text) => {
    expect(JSON.stringify(parseExactJson(`{"a":[${text}]}`))).toBe(`{"a":[${text}]}`);
  },
);

const [a, b, c] = [
  [46.6, 24.7],
  [46.7, 24.7],
  [46.7, 24.8],
];

test.each([
  [[a, a, a, a], a, true],
  [[a, a], a, true],
  [[a], a, true],
  [[['46.6', '24.70'], a], a, true],
  [[a, b, c, a], [a, b, c, a], true],
  [[a, b, c, a], [a, b, c], true],
  [[a, b, c, a], a, false],
  [[b, b, b, b], a, false],
  [[a, b, c, a], [a, c, b, a], false],
  [[a, a, a, a], null, false],
])(
  'isSameValue of the current border %j and the desired border %j: returns %s',
  (current, desired, isSame) => {
    expect(isSameValue(ring(), current, desired)).toBe(isSame);
  },
);
