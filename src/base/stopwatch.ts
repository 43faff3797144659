/** A monotonic clock without `performance`, which would load a dozen of Node's modules. */

/** Returns the milliseconds since an arbitrary fixed time. */
export function elapsedMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
