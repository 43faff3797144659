/** Shows on stderr that a long run is alive: only on a terminal, and only once it has taken two seconds. */
import { cleanLine } from './clean.ts';
import type { Streams } from './streams.ts';

export interface ProgressOptions {
  /** What is going on, such as "Reading customers". */
  label: string;
  /** How many there are in all, where that is known: then a bar is shown, otherwise a count. */
  total?: number | undefined;
  /** Milliseconds before anything is shown. */
  after?: number;
}

export interface Progress {
  /** How many are done so far. */
  update(done: number): void;
  /** Takes the line away. Call it in a `finally`: until then the process stays alive once the bar is shown. */
  done(): void;
}

export function progress(streams: Streams, { label, total, after = 2_000 }: ProgressOptions): Progress {
  if (!streams.isTerminal.err || !streams.cursor || streams.quiet) return silent;
  let count = 0;
  let bar: Bar | undefined;
  let over = false;
  const timer = setTimeout(async () => {
    const { SingleBar } = await import('cli-progress');
    if (over) return;
    bar = startBar(SingleBar, streams, cleanLine(label), total, count);
  }, after);
  timer.unref();
  return {
    update(done) {
      count = done;
      bar?.update(done);
    },
    done() {
      over = true;
      clearTimeout(timer);
      bar?.stop();
      streams.statusLine = undefined;
    },
  };
}

const silent: Progress = { update() {}, done() {} };

type Bar = import('cli-progress').SingleBar;

function startBar(
  SingleBar: typeof import('cli-progress').SingleBar,
  streams: Streams,
  label: string,
  total: number | undefined,
  count: number,
): Bar {
  const [complete, incomplete] = streams.unicode ? ['█', '░'] : ['#', '.'];
  const bar = new SingleBar({
    stream: streams.stderr as NodeJS.WriteStream,
    format: total === undefined ? `${label}: {value}` : `${label} {bar} {value} of {total}`,
    barCompleteChar: complete,
    barIncompleteChar: incomplete,
    barsize: 20,
    fps: 5,
    clearOnComplete: true,
    // The cursor stays visible and signals stay with `main`: a run that is killed leaves the terminal as it was.
    hideCursor: null,
    gracefulExit: false,
  });
  bar.start(total ?? 0, count);
  streams.statusLine = { clear: () => streams.stderr.write('\r\x1b[K') };
  return bar;
}
