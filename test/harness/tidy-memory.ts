/** Keeps a process that runs many lines small: to start another one takes the longer the more memory is held. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** In bytes: so much more is held than was left the last time. What SQLite holds the engine knows nothing of. */
const much = 1e8;

setFlagsFromString('--expose-gc');
export const collect: () => void = runInNewContext('gc');

let left = process.memoryUsage.rss();

/** Asking the system is slow: it happens once in this many lines. */
const seldom = 8;
let lines = 0;

/** To be called after each line, which leaves its sandbox open, as a process may at its end. */
export function tidyMemory(): void {
  if (++lines % seldom > 0 || process.memoryUsage.rss() < left + much) return;
  collect();
  left = process.memoryUsage.rss();
}
