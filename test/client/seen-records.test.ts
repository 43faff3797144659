import { expect, test } from 'vitest';
import { fingerprintOf, seenRecords } from '../../src/client/seen-records.ts';
import { fc } from '../harness/fast-check.ts';

test('remembers records like a set of their ids, numbers and texts as the same', () => {
  const ids = fc.oneof(fc.uuid(), fc.nat({ max: 50 }), fc.string({ maxLength: 3 }), fc.integer().map(String));
  fc.assert(
    fc.property(fc.array(ids, { maxLength: 3000 }), (all) => {
      const seen = seenRecords();
      const set = new Set<string>();
      for (const id of all) {
        expect(seen.has(fingerprintOf({ id }))).toBe(set.has(String(id)));
        expect(seen.add(fingerprintOf({ id }))).toBe(!set.has(String(id)));
        set.add(String(id));
      }
      expect(seen.size).toBe(set.size);
    }),
  );
});

test('distinguishes records without an id by all their values', () => {
  const seen = seenRecords();
  expect(seen.add(fingerprintOf({ name: 'a' }))).toBe(true);
  expect(seen.add(fingerprintOf({ name: 'b' }))).toBe(true);
  expect(seen.add(fingerprintOf({ name: 'a' }))).toBe(false);
});

test.each([
  ['of an expected number', 1_000_000, 7],
  ['that come unannounced', 0, 14],
])('stores a million ids %s in few bytes, and confuses none with another', (_, expected, mostMb) => {
  const before = process.memoryUsage().arrayBuffers;
  const seen = seenRecords();
  seen.expect(expected);
  for (let number = 0; number < 1_000_000; number++)
    seen.add(fingerprintOf({ id: `8d8${number.toString(16)}-${number % 7}` }));
  expect(seen.size).toBe(1_000_000);
  expect((process.memoryUsage().arrayBuffers - before) / 1e6).toBeLessThan(mostMb);
});
