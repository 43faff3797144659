/** Keeps a process that runs many lines small: to start another one takes the longer the more memory is held. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A line leaves its sandbox open, as a process may at its end; what SQLite holds of memory the engine knows nothing of. */
const linesBetween = 25;
/** In bytes: a process that has run a few lines. */
const much = 2.5e8;

setFlagsFromString('--expose-gc');
export const collect: () => void = runInNewContext('gc');

let lines = 0;

/** To be called after each line. */
export function tidyMemory(): void {
  lines += 1;
  if (lines % linesBetween === 0 && process.memoryUsage.rss() > much) collect();
}
