/** Rate limits: reported by the service or set by the user. */

export interface RequestLimit {
  /** The maximum number of requests in each window. */
  maxRequests: number;
  /** The length of a window in milliseconds. */
  windowMs: number;
}

/** A minute in milliseconds. */
export const minuteMs = 60_000;

/** The maximum length of a pause that the service requests, in milliseconds. Longer pauses may be mistakes of the service. */
export const maxBlockMs = 3_600_000;

const windowsMs = { s: 1000, min: minuteMs, h: 3_600_000 };
const windowNames = new Map([
  [windowsMs.s, 'second'],
  [windowsMs.min, 'minute'],
  [windowsMs.h, 'hour'],
]);

/** Parses `90` or `90/min`, `2/s`, `500/h`. Returns undefined for any other text. */
export function parseLimit(text: string): RequestLimit | undefined {
  const [, count, unit = 'min'] = /^([1-9]\d{0,5})(?:\/(s|min|h))?$/.exec(text) ?? [];
  return count === undefined
    ? undefined
    : { maxRequests: Number(count), windowMs: windowsMs[unit as keyof typeof windowsMs] };
}

/** Formats a limit: `90 requests a minute`. */
export function formatRateLimit({ maxRequests, windowMs }: RequestLimit): string {
  return `${maxRequests} ${maxRequests === 1 ? 'request' : 'requests'} a ${windowNames.get(windowMs) ?? `${windowMs / 1000} seconds`}`;
}

/** Returns the limit that allows fewer requests. */
export function lowerLimit(
  a: RequestLimit | undefined,
  b: RequestLimit | undefined,
): RequestLimit | undefined {
  if (!a || !b) return a ?? b;
  return a.maxRequests / a.windowMs <= b.maxRequests / b.windowMs ? a : b;
}
