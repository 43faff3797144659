import { expect, test } from 'vitest';
import { isTooDeep } from '../../../src/client/json-depth.ts';
import { fc } from '../../harness/fast-check.ts';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

test('a hundred levels are read, one more is not', () => {
  expect(isTooDeep(nested(100))).toBe(false);
  expect(isTooDeep(nested(101))).toBe(true);
  expect(isTooDeep('{"a":'.repeat(101))).toBe(true);
});

test('brackets inside texts are not levels, whatever is escaped around them', () => {
  expect(isTooDeep(JSON.stringify('['.repeat(500)))).toBe(false);
  expect(isTooDeep(JSON.stringify(`\\"${'{'.repeat(500)}`))).toBe(false);
  expect(isTooDeep(JSON.stringify({ '[\\': ['\\', '"['.repeat(200)] }))).toBe(false);
});

test('brackets side by side are no depth', () => {
  expect(isTooDeep(`[${'[],'.repeat(5000)}{}]`)).toBe(false);
});

test('any JSON of no depth to speak of is read, however it is written', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), fc.integer({ min: 0, max: 4 }), (json, indent) => {
      expect(isTooDeep(JSON.stringify(JSON.parse(json), null, indent))).toBe(false);
    }),
  );
});

test('a million levels and 32 MB of text are judged at once', () => {
  expect(isTooDeep(nested(1_000_000))).toBe(true);
  expect(isTooDeep(JSON.stringify({ name: 'x'.repeat(32 * 1024 * 1024) }))).toBe(false);
});
