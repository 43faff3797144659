/** Time that passes whatever the clock of the machine does, without `performance`, which loads a dozen of Node’s modules. */

/** Milliseconds since some moment. */
export function passedMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
