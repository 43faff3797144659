/** Generates pseudo-random numbers from a seed, so that a failure can be reproduced. */

/** Returns a function that returns numbers from 0 to 1. The sequence depends only on the seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}
