/** A long list takes no more memory than a short one: what is left of each page adds up, and Node would make ever more room for it. */
import type * as v8 from 'node:v8';

/** Rows between two looks. */
const lookEvery = 1000;

/** Enough for the garbage of a few pages. */
const enough = 32 * 1024 * 1024;

/** To be told how many rows have come; changes no result. */
export function steadyHeap(): (rows: number) => void {
  let since = 0;
  let isSteady = false;
  let heap: typeof v8 | undefined;
  return (rows) => {
    since += rows;
    if (isSteady || since < lookEvery) return;
    since = 0;
    heap ??= process.getBuiltinModule('node:v8');
    if (heap.getHeapStatistics().total_heap_size < enough) return;
    isSteady = true;
    // The space for new objects doubles whenever enough of them have survived, which in a long run is a matter of time.
    heap.setFlagsFromString('--semi-space-growth-factor=1');
  };
}
