/** Shows on stderr that a long run is alive: only on a terminal, and only once it has taken two seconds. */
import { cleanLine } from './clean.ts';
import type { Streams } from './streams.ts';
import { sinceStart } from './waiting.ts';

export interface ProgressOptions {
  /** What is going on, such as "Reading customers". */
  label: string;
  /** How many there are in all, where that is known: then a bar is shown, otherwise a count. */
  total?: number;
  /** Milliseconds before anything is shown. */
  after?: number;
}

export interface Progress {
  /** How many are done so far, and of how many where that is known by now. */
  update(done: number, total?: number): void;
  /** Takes the line away. Call it before results go to stdout, and in a `finally`: a bar keeps the process alive. */
  done(): void;
}

/** Costs one timer until it is shown, and nothing at all where it never will be. */
export function progress(streams: Streams, { label, total, after = 2_000 }: ProgressOptions): Progress {
  if (!streams.isTerminal.err || !streams.cursor || streams.quiet) return silent;
  let count = 0;
  let all = total;
  let over = false;
  let isShown = false;
  let bar: Bar | undefined;

  const show = async () => {
    streams.statusLine?.clear();
    isShown = true;
    // At once, so that nothing else is drawn there while the bar is loaded.
    streams.statusLine = { clear: () => bar?.stop() };
    const created = await createBar(streams, cleanLine(label), total !== undefined);
    if (over) return;
    bar = created;
    bar.start(all ?? 0, count);
  };
  const timer = setTimeout(show, after);
  timer.unref();

  return {
    update(done, known = all) {
      count = done;
      all = known;
      if (all !== undefined) bar?.setTotal(all);
      // A remark that was printed meanwhile has stopped the bar: it goes on below the remark.
      if (bar?.isActive) bar.update(count);
      else bar?.start(all ?? 0, count);
    },
    done() {
      over = true;
      clearTimeout(timer);
      if (!isShown) return;
      bar?.stop();
      bar = undefined;
      streams.statusLine = undefined;
    },
  };
}

export interface PartsProgress {
  /** The next part, such as "Reading customers"; the one before is over. */
  begin(label: string): void;
  update: Progress['update'];
  done(): void;
}

/**
 * A run of several parts, each with a bar or count of its own: it is the run that may take two seconds unseen, not each
 * of them. `parts` is how many there are, where that is known.
 */
export function partsProgress(streams: Streams, parts?: number, now = sinceStart): PartsProgress {
  const begun = now();
  let current = silent;
  let at = 0;
  return {
    begin(label) {
      current.done();
      at++;
      const place = parts === undefined || parts === 1 || at > parts ? '' : ` (${at} of ${parts})`;
      const after = Math.max(0, 2_000 - (now() - begun));
      current = progress(streams, { label: `${label}${place}`, after });
    },
    update: (count, total) => current.update(count, total),
    done() {
      current.done();
      current = silent;
    },
  };
}

const silent: Progress = { update() {}, done() {} };

type Bar = import('cli-progress').SingleBar;

/** In columns, and room for two numbers of six digits beside it. */
const barSize = 20;
const digits = 20;

/** Leaves the cursor, line wrapping and signals alone, so that a run that is killed leaves the terminal as it was. */
async function createBar(streams: Streams, label: string, hasTotal: boolean): Promise<Bar> {
  const { default: library } = await import('cli-progress');
  // A line that is wider than the window couldn’t be taken away whole.
  const room = streams.columns - digits - (hasTotal ? barSize : 0);
  const short = label.slice(0, Math.max(1, room));
  return new library.SingleBar({
    stream: streams.stderr,
    format: hasTotal
      ? `${short} {bar} {value} of {total}`
      : (_options, { value, total }) => `${short}: ${value}${total > 0 ? ` of ${total}` : ''}`,
    barCompleteChar: streams.unicode ? '█' : '#',
    barIncompleteChar: streams.unicode ? '░' : '.',
    barsize: barSize,
    fps: 5,
    clearOnComplete: true,
    hideCursor: false,
    linewrap: true,
  });
}
