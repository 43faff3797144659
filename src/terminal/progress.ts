/** Shows on stderr that a long run is alive: only on a terminal, and only once it has taken two seconds. */
import { cleanLine } from './clean.ts';
import type { Streams } from './streams.ts';

export interface ProgressOptions {
  /** What is going on, such as "Reading customers". */
  label: string;
  /** How many there are in all, where that is known: then a bar is shown, otherwise a count. */
  total?: number;
  /** Milliseconds before anything is shown. */
  after?: number;
}

export interface Progress {
  /** How many are done so far. */
  update(done: number): void;
  /** Takes the line away. Call it before results go to stdout, and in a `finally`: a bar keeps the process alive. */
  done(): void;
}

/** Costs one timer until it is shown, and nothing at all where it never will be. */
export function progress(streams: Streams, { label, total, after = 2_000 }: ProgressOptions): Progress {
  if (!streams.isTerminal.err || !streams.cursor || streams.quiet) return silent;
  let count = 0;
  let over = false;
  let bar: Bar | undefined;

  const show = async () => {
    const created = await createBar(streams, cleanLine(label), total !== undefined);
    if (over) return;
    bar = created;
    bar.start(total ?? 0, count);
    streams.statusLine = { clear: () => bar?.stop() };
  };
  const timer = setTimeout(show, after);
  timer.unref();

  return {
    update(done) {
      count = done;
      // A remark that was printed meanwhile has stopped the bar: it goes on below the remark.
      if (bar?.isActive) bar.update(count);
      else bar?.start(total ?? 0, count);
    },
    done() {
      over = true;
      clearTimeout(timer);
      if (bar === undefined) return;
      bar.stop();
      bar = undefined;
      streams.statusLine = undefined;
    },
  };
}

const silent: Progress = { update() {}, done() {} };

type Bar = import('cli-progress').SingleBar;

/** Leaves the cursor, line wrapping and signals alone, so that a run that is killed leaves the terminal as it was. */
async function createBar(streams: Streams, label: string, hasTotal: boolean): Promise<Bar> {
  const { default: library } = await import('cli-progress');
  return new library.SingleBar({
    stream: streams.stderr,
    format: hasTotal ? `${label} {bar} {value} of {total}` : `${label}: {value}`,
    barCompleteChar: streams.unicode ? '█' : '#',
    barIncompleteChar: streams.unicode ? '░' : '.',
    barsize: 20,
    fps: 5,
    clearOnComplete: true,
    hideCursor: false,
    linewrap: true,
  });
}
