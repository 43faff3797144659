/** The cache returns values of the current version only, and never exceeds its maximum weight. */
import { describe, expect, it } from 'vitest';
import { VersionedCache } from '../../src/sandbox/access/grants.ts';

describe('VersionedCache', () => {
  it('returns values of the current version only', () => {
    const remembered = new VersionedCache<string>(10);
    remembered.keep('1', 'a', 'first');
    expect([remembered.find('1', 'a'), remembered.find('2', 'a')]).toEqual(['first', undefined]);
    remembered.keep('2', 'b', 'second');
    expect([remembered.find('2', 'a'), remembered.find('2', 'b')]).toEqual([undefined, 'second']);
    // A value of an earlier version is ignored.
    remembered.keep('1', 'a', 'late');
    expect(remembered.find('2', 'a')).toBe(undefined);
  });

  it('stays below its maximum weight, and ignores values that are too heavy', () => {
    const remembered = new VersionedCache<number>(10);
    const found = () =>
      Array.from({ length: 40 }, (_, index) => remembered.find('1', `${index}`)).filter(Boolean);
    for (let index = 0; index < 40; index++) {
      remembered.keep('1', `${index}`, index + 1, 3);
      expect([found().length <= 3, remembered.find('1', `${index}`)]).toEqual([true, index + 1]);
    }
    const before = found();
    remembered.keep('1', 'heavy', 1, 11);
    expect([found(), remembered.find('1', 'heavy')]).toEqual([before, undefined]);
  });
});
