/**
 * Keeps the heap of a long list as small as the heap of a short list. Without this, Node collects the garbage of many
 * pages at once.
 */
import type * as v8 from 'node:v8';
import type * as vm from 'node:vm';
import type { Context } from '../context/context.ts';
import { startPartsProgress } from '../terminal/progress.ts';

/** The number of rows between two checks. */
const rowsPerCheck = 1000;

/** The heap size below which garbage isn't collected: enough for the program and several pages. A larger size saves little time. */
const freeHeapBytes = 18 * 1024 * 1024;

/** The minimum growth of the heap before it is collected. If more, it may grow by half of its size above `freeHeapBytes`. */
const minGrowthBytes = 3 * 1024 * 1024;

/** Returns a function that collects garbage if the heap has grown. Call it with the number of rows read. */
export function createHeapLimiter({ atEnd }: Pick<Context, 'atEnd'>): (rows: number) => void {
  let uncheckedRows = 0;
  let limit = Infinity;
  let heap: typeof v8 | undefined;
  let collect: (() => void) | undefined;

  /** Keeps the space for new objects from doubling when many of them survive. */
  const controlHeap = ({ setFlagsFromString }: typeof v8) => {
    setFlagsFromString('--semi-space-growth-factor=1');
    setFlagsFromString('--expose-gc');
    const { runInNewContext }: typeof vm = process.getBuiltinModule('node:vm');
    collect = runInNewContext('gc');
    // Node caches compiled code with its flags, and doesn't load code that was compiled with other flags.
    setFlagsFromString('--no-expose-gc');
    atEnd.push(() => setFlagsFromString('--semi-space-growth-factor=2'));
  };

  return (rows) => {
    uncheckedRows += rows;
    if (uncheckedRows < rowsPerCheck) return;
    uncheckedRows = 0;
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
    const usedBytes = heap.getHeapStatistics().total_heap_size;
    limit = usedBytes + Math.max(minGrowthBytes, (usedBytes - freeHeapBytes) / 2);
  };
}

/** The progress of a command that reads many rows, in one or several parts. */
export interface RowProgress {
  /** Starts the next part, such as "Reading customers". */
  startPart(label: string): void;
  /** Adds rows to those of the part. */
  add(rows: number): void;
  done(): void;
}

/** Shows how many rows are read, and limits the heap. `parts` is the number of parts, if known. */
export function startRowProgress(context: Context, parts?: number): RowProgress {
  const limitHeap = createHeapLimiter(context);
  const bar = startPartsProgress(context.streams, parts);
  let count = 0;
  return {
    startPart(label) {
      count = 0;
      bar.startPart(label);
    },
    add(rows) {
      limitHeap(rows);
      count += rows;
      bar.update(count);
    },
    done: () => bar.done(),
  };
}
