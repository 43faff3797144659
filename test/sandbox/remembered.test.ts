/** What is remembered of a file is that of its version alone, and never more than it may weigh. */
import { describe, expect, it } from 'vitest';
import { Remembered } from '../../src/sandbox/access/grants.ts';

describe('what was found in a file', () => {
  it('is that of its version alone', () => {
    const remembered = new Remembered<string>(10);
    remembered.keep('1', 'a', 'first');
    expect([remembered.find('1', 'a'), remembered.find('2', 'a')]).toEqual(['first', undefined]);
    remembered.keep('2', 'b', 'second');
    expect([remembered.find('2', 'a'), remembered.find('2', 'b')]).toEqual([undefined, 'second']);
    // What was read before comes too late.
    remembered.keep('1', 'a', 'late');
    expect(remembered.find('2', 'a')).toBe(undefined);
  });

  it('never weighs more than it may, and what is too heavy alone leaves the rest', () => {
    const remembered = new Remembered<number>(10);
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
