/** Limits the memory of a process that runs many lines, because starting child processes gets slower with more memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects garbage after this growth in bytes. The JavaScript engine does not count the memory of SQLite. */
const maxGrowthBytes = 1e8;

setFlagsFromString('--expose-gc');
export const collect: () => void = runInNewContext('gc');

let left = process.memoryUsage.rss();

/** Reading the memory size is slow, so it is done once in this number of lines. */
const linesPerCheck = 8;
let lines = 0;

/** Collects garbage if needed. To be called after each line, which leaves its sandbox open. */
export function tidyMemory(): void {
  if (++lines % linesPerCheck > 0 || process.memoryUsage.rss() < left + maxGrowthBytes) return;
  collect();
  left = process.memoryUsage.rss();
}
