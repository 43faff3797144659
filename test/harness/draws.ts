/** Numbers that look as if drawn, and are the same every time: what a failing run met can be met again. */

/** Answers numbers from 0 to 1, the same every time. */
export function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}
