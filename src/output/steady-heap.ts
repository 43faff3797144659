/**
 * A long list takes no more memory than a short one: what is left of each page adds up, and Node would make ever more
 * room for it before it looks what can go.
 */
import type * as v8 from 'node:v8';
import type * as vm from 'node:vm';
import type { Context } from '../context/context.ts';

/** Rows between two looks. */
const lookEvery = 1000;

/** In bytes: enough for the program and the garbage of some pages. More saves hardly any time. */
const enough = 18 * 1024 * 1024;

/** In bytes: the heap may grow by so much, or by half of what it holds beyond the usual, before it is looked what can go. */
const leastGrowth = 3 * 1024 * 1024;

/** To be told how many rows have come; changes no result. */
export function steadyHeap({ atEnd }: Pick<Context, 'atEnd'>): (rows: number) => void {
  let since = 0;
  let limit = Infinity;
  let heap: typeof v8 | undefined;
  let collect: (() => void) | undefined;

  /** The space for new objects doubles whenever enough of them have survived, which in a long run is a matter of time. */
  const takeOver = ({ setFlagsFromString }: typeof v8) => {
    setFlagsFromString('--semi-space-growth-factor=1');
    setFlagsFromString('--expose-gc');
    const { runInNewContext }: typeof vm = process.getBuiltinModule('node:vm');
    collect = runInNewContext('gc');
    // Compiled code is kept with the flags that it was made under: of others the engine takes none.
    setFlagsFromString('--no-expose-gc');
    atEnd.push(() => setFlagsFromString('--semi-space-growth-factor=2'));
  };

  return (rows) => {
    since += rows;
    if (since < lookEvery) return;
    since = 0;
    heap ??= process.getBuiltinModule('node:v8');
    const size = heap.getHeapStatistics().total_heap_size;
    if (!collect) {
      if (size < enough) return;
      takeOver(heap);
    } else if (size < limit) {
      return;
    } else {
      collect();
    }
    const left = heap.getHeapStatistics().total_heap_size;
    limit = left + Math.max(leastGrowth, (left - enough) / 2);
  };
}
