/** How often a randomised or repeated test tries: a few times in the ordinary run, many in `npm run soak`. */

const factor = Number(process.env.SOAK ?? 1);

export function rounds(few: number): number {
  return few * factor;
}

/** Milliseconds that a test with more rounds may take. */
export function patience(ms: number): number {
  return ms * factor;
}
