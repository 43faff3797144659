import { expect, test } from 'vitest';
import { createSeenRecords, fingerprintOf } from '../../src/account/client/seen-records.ts';
import { fc } from '../harness/fast-check.ts';

test('seen records: equal a set of IDs, in which a number and its string are the same ID', () => {
  const ids = fc.oneof(fc.uuid(), fc.nat({ max: 50 }), fc.string({ maxLength: 3 }), fc.integer().map(String));
  fc.assert(
    fc.property(fc.array(ids, { maxLength: 3000 }), (all) => {
      const seen = createSeenRecords();
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

test('seen records without an ID: are compared by all their values', () => {
  const seen = createSeenRecords();
  expect(seen.add(fingerprintOf({ name: 'a' }))).toBe(true);
  expect(seen.add(fingerprintOf({ name: 'b' }))).toBe(true);
  expect(seen.add(fingerprintOf({ name: 'a' }))).toBe(false);
});

test.each([
  ['expected', 1_000_000, 7],
  ['unexpected', 0, 14],
])(
  'seen records: a million %s IDs fit within the memory limit, without a collision',
  (_, expected, maxMb) => {
    const before = process.memoryUsage().arrayBuffers;
    const seen = createSeenRecords();
    seen.expect(expected);
    for (let number = 0; number < 1_000_000; number++)
      seen.add(fingerprintOf({ id: `8d8${number.toString(16)}-${number % 7}` }));
    expect(seen.size).toBe(1_000_000);
    expect((process.memoryUsage().arrayBuffers - before) / 1e6).toBeLessThan(maxMb);
  },
);
