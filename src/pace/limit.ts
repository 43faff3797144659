/** How many requests are allowed in which time: as a service says it, or as a person sets it. */

export interface Limit {
  /** Requests in each window. */
  count: number;
  /** In milliseconds. */
  window: number;
}

export const minute = 60_000;

/** A block that the service asks for is remembered for no longer than this, in milliseconds: it may have meant something else. */
export const longestBlock = 3_600_000;

const windows = { s: 1000, min: minute, h: 3_600_000 };
const names = new Map([
  [windows.s, 'second'],
  [windows.min, 'minute'],
  [windows.h, 'hour'],
]);

/** `90` or `90/min`, `2/s`, `500/h`; undefined where it is none. */
export function readLimit(text: string): Limit | undefined {
  const [, count, unit = 'min'] = /^([1-9]\d{0,5})(?:\/(s|min|h))?$/.exec(text) ?? [];
  return count === undefined
    ? undefined
    : { count: Number(count), window: windows[unit as keyof typeof windows] };
}

export function limitInWords({ count, window }: Limit): string {
  return `${count} ${count === 1 ? 'request' : 'requests'} a ${names.get(window) ?? `${window / 1000} seconds`}`;
}

/** The one that lets fewer through. */
export function slower(some: Limit | undefined, other: Limit | undefined): Limit | undefined {
  if (!some || !other) return some ?? other;
  return some.count / some.window <= other.count / other.window ? some : other;
}
