/** Measures how much of a text is read. It counts the graphemes, since times vary. */
import { vi } from 'vitest';

/** Counts the graphemes that are read from now on, until the test ends. */
export function countSegments(): () => number {
  const segments = new Intl.Segmenter().segment('')[Symbol.iterator]();
  const next = vi.spyOn(Object.getPrototypeOf(segments) as typeof segments, 'next');
  return () => next.mock.calls.length;
}
