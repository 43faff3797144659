/** Limits the memory of a process that runs many command lines, because child processes start more slowly with more memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The growth in bytes after which garbage is collected. The JavaScript engine does not count the memory of SQLite. */
const maxGrowthBytes = 1e8;

setFlagsFromString('--expose-gc');
export const collectGarbage: () => void = runInNewContext('gc');

let usedBytes = process.memoryUsage.rss();

/** The number of command lines between two checks. Reading the memory size is slow. */
const linesPerCheck = 8;
let lineCount = 0;

/** Collects garbage if needed. Call it after each command line, which leaves its sandbox open. */
export function collectGarbageIfNeeded(): void {
  if (++lineCount % linesPerCheck > 0 || process.memoryUsage.rss() < usedBytes + maxGrowthBytes) return;
  collectGarbage();
  usedBytes = process.memoryUsage.rss();
}
