/** How far texts are read that can't be measured by their length: what takes time there is counted, not timed. */
import { vi } from 'vitest';

/** Counts the graphemes that are looked at from now on, until the test ends. */
export function countSegments(): () => number {
  const segments = new Intl.Segmenter().segment('')[Symbol.iterator]();
  const next = vi.spyOn(Object.getPrototypeOf(segments) as typeof segments, 'next');
  return () => next.mock.calls.length;
}
