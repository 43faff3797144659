import { expect, test } from 'vitest';
import { describeInexactness } from '../../src/base/number-text.ts';
import { fc } from '../harness/fast-check.ts';

test.each([
  '0',
  '-0',
  '0.1',
  '19.99',
  '007.50',
  '.5',
  '5.',
  '+2',
  '1e5',
  '1.50E-7',
  '9007199254740992',
  '1e22',
  '100',
  'x',
  '0x10',
])('describeInexactness %s: undefined for an exact number', (text) =>
  expect(describeInexactness(text)).toBeUndefined(),
);

test.each([
  ['19.999999999999999', 'it would become 20'],
  ['12345678901234567890', 'it would become 12345678901234567000'],
  ['9007199254740993', 'it would become 9007199254740992'],
  ['0.1000000000000000055', 'it would become 0.1'],
  ['1e999', 'too large'],
  ['-1e999', 'too large'],
  ['1e-999', 'it would become 0'],
  ['9'.repeat(400), 'too large'],
])('describeInexactness %s: describes the change', (text, problem) =>
  expect(describeInexactness(text)).toContain(problem),
);

test('describeInexactness: undefined for every double', () => {
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      (value) => describeInexactness(String(value)) === undefined,
    ),
  );
});

test('describeInexactness: describes every integer whose digits change', () => {
  const largest = 10n ** 20n;
  fc.assert(
    fc.property(fc.bigInt({ min: -largest, max: largest }), (value) => {
      expect(describeInexactness(String(value)) === undefined).toBe(BigInt(String(Number(value))) === value);
    }),
    { examples: [[2n ** 60n], [2n ** 53n], [2n ** 53n + 1n], [10n ** 20n]] },
  );
});

test.each([
  ['a million zeros before it', `${'0'.repeat(1_000_000)}1`, undefined],
  ['a million zeros in it', `1${'0'.repeat(1_000_000)}1`, 'is too large to be sent'],
  ['a million zeros and a letter', `0.${'0'.repeat(1_000_000)}x`, undefined],
])('describeInexactness, text with %s: is checked', (_, text, problem) => {
  expect(describeInexactness(text)).toBe(problem);
});
