/**
 * Keeps the heap of a long list as small as that of a short one. Without this, Node lets garbage of each page add up
 * before it collects it.
 */
import type * as v8 from 'node:v8';
import type * as vm from 'node:vm';
import type { Context } from '../context/context.ts';

/** Rows between two checks. */
const rowsPerCheck = 1000;

/** The heap that is never collected: freeHeapBytes for the program and the garbage of some pages. More saves little time. */
const freeHeapBytes = 18 * 1024 * 1024;

/** How much the heap may grow before it is collected, if that is more than half of what it holds above `freeHeapBytes`. */
const minGrowthBytes = 3 * 1024 * 1024;

/** Returns a function to call with the number of rows read. It changes no result. */
export function steadyHeap({ atEnd }: Pick<Context, 'atEnd'>): (rows: number) => void {
  let since = 0;
  let limit = Infinity;
  let heap: typeof v8 | undefined;
  let collect: (() => void) | undefined;

  /** Stops the space for new objects from doubling, as it does whenever enough of them have survived. */
  const controlHeap = ({ setFlagsFromString }: typeof v8) => {
    setFlagsFromString('--semi-space-growth-factor=1');
    setFlagsFromString('--expose-gc');
    const { runInNewContext }: typeof vm = process.getBuiltinModule('node:vm');
    collect = runInNewContext('gc');
    // Compiled code is cached with its flags, and the engine doesn't load code with other flags.
    setFlagsFromString('--no-expose-gc');
    atEnd.push(() => setFlagsFromString('--semi-space-growth-factor=2'));
  };

  return (rows) => {
    since += rows;
    if (since < rowsPerCheck) return;
    since = 0;
    heap ??= process.getBuiltinModule('node:v8');
    const size = heap.getHeapStatistics().total_heap_size;
    if (!collect) {
      if (size < freeHeapBytes) return;
      controlHeap(heap);
    } else if (size < limit) {
      return;
    } else {
      collect();
    }
    const heldBytes = heap.getHeapStatistics().total_heap_size;
    limit = heldBytes + Math.max(minGrowthBytes, (heldBytes - freeHeapBytes) / 2);
  };
}
