/** A monotonic clock that doesn't load `performance`, which needs a dozen of Node's modules. */

/** Returns the milliseconds since a fixed but arbitrary moment. */
export function elapsedMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
