/** How many requests are allowed in which time: as a service says it, or as a person sets it. */

/** A number of requests in a time. */
export interface Limit {
  /** Requests in each window. */
  count: number;
  /** In milliseconds. */
  window: number;
}

/** In milliseconds. */
export const minute = 60_000;

/** A block that the service asks for is remembered for no longer than this, in milliseconds: it may have meant something else. */
export const maxBlockMs = 3_600_000;

const windows = { s: 1000, min: minute, h: 3_600_000 };
const names = new Map([
  [windows.s, 'second'],
  [windows.min, 'minute'],
  [windows.h, 'hour'],
]);

/** Reads `90` or `90/min`, `2/s`, `500/h`; undefined for any other text. */
export function readLimit(text: string): Limit | undefined {
  const [, count, unit = 'min'] = /^([1-9]\d{0,5})(?:\/(s|min|h))?$/.exec(text) ?? [];
  return count === undefined
    ? undefined
    : { count: Number(count), window: windows[unit as keyof typeof windows] };
}

/** Returns a limit in words: `90 requests a minute`. */
export function limitInWords({ count, window }: Limit): string {
  return `${count} ${count === 1 ? 'request' : 'requests'} a ${names.get(window) ?? `${window / 1000} seconds`}`;
}

/** Returns the limit that lets fewer through. */
export function slower(some: Limit | undefined, other: Limit | undefined): Limit | undefined {
  if (!some || !other) return some ?? other;
  return some.count / some.window <= other.count / other.window ? some : other;
}
