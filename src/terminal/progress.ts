/** Shows the progress of a long run on stderr: only on a terminal, and only after two seconds. */
import { cleanLine } from './clean.ts';
import type { Streams } from './streams.ts';
import { uptimeMs } from './waiting.ts';

/** Options for `startProgress`. */
export interface ProgressOptions {
  /** The current work, such as "Reading customers". */
  label: string;
  /** The total. If it is known, a bar is shown, otherwise a count. */
  total?: number;
  /** Milliseconds until the progress is shown. */
  showAfterMs?: number;
}

/** Updates and removes the progress line of a run. */
export interface Progress {
  /** Sets the count, and the total if it is known. */
  update(done: number, total?: number): void;
  /** Removes the line. Call it before results go to stdout, and in a `finally`: a bar keeps the process alive. */
  done(): void;
}

/** Starts to show the progress of a run. Before it is shown it costs only a timer. */
export function startProgress(
  streams: Streams,
  { label, total, showAfterMs = 2_000 }: ProgressOptions,
): Progress {
  if (!streams.isTerminal.err || !streams.cursor || streams.quiet) return noProgress;
  let count = 0;
  let knownTotal = total;
  let isDone = false;
  let isShown = false;
  let bar: Bar | undefined;

  const show = async () => {
    streams.statusLine?.clear();
    isShown = true;
    // Set before the bar is loaded, so that no other status line is drawn.
    streams.statusLine = { clear: () => bar?.stop() };
    const created = await createBar(streams, cleanLine(label), total !== undefined);
    if (isDone) return;
    bar = created;
    bar.start(knownTotal ?? 0, count);
  };
  const timer = setTimeout(show, showAfterMs);
  timer.unref();

  return {
    update(done, newTotal = knownTotal) {
      count = done;
      knownTotal = newTotal;
      if (knownTotal !== undefined) bar?.setTotal(knownTotal);
      // A note that was printed has stopped the bar, which continues below the note.
      if (bar?.isActive) bar.update(count);
      else bar?.start(knownTotal ?? 0, count);
    },
    done() {
      isDone = true;
      clearTimeout(timer);
      if (!isShown) return;
      bar?.stop();
      bar = undefined;
      streams.statusLine = undefined;
    },
  };
}

/** Updates and removes the progress line of a run of several parts. */
export interface PartsProgress {
  /** Ends the previous part and starts the next, such as "Reading customers". */
  startPart(label: string): void;
  update: Progress['update'];
  done(): void;
}

/**
 * Starts the progress of a run of several parts, each with its own bar or count. The two seconds before anything is shown
 * count for the whole run. `parts` is the number of parts, if known.
 */
export function startPartsProgress(streams: Streams, parts?: number, now = uptimeMs): PartsProgress {
  const startMs = now();
  let current = noProgress;
  let part = 0;
  return {
    startPart(label) {
      current.done();
      part++;
      const position = parts === undefined || parts === 1 || part > parts ? '' : ` (${part} of ${parts})`;
      const showAfterMs = Math.max(0, 2_000 - (now() - startMs));
      current = startProgress(streams, { label: `${label}${position}`, showAfterMs });
    },
    update: (count, total) => current.update(count, total),
    done() {
      current.done();
      current = noProgress;
    },
  };
}

const noProgress: Progress = { update() {}, done() {} };

type Bar = import('cli-progress').SingleBar;

/** The width of the bar in columns, and the width for two numbers of six digits next to it. */
const barColumns = 20;
const numberColumns = 20;

/** Creates a bar that doesn't change the cursor, line wrapping or signals, so that a killed run leaves the terminal unchanged. */
async function createBar(streams: Streams, label: string, hasTotal: boolean): Promise<Bar> {
  const { default: library } = await import('cli-progress');
  // A line that is wider than the window couldn't be removed completely.
  const labelColumns = streams.columns('err') - numberColumns - (hasTotal ? barColumns : 0);
  const shortLabel = label.slice(0, Math.max(1, labelColumns));
  return new library.SingleBar({
    stream: streams.stderr,
    format: hasTotal
      ? `${shortLabel} {bar} {value} of {total}`
      : (_options, { value, total }) => `${shortLabel}: ${value}${total > 0 ? ` of ${total}` : ''}`,
    barCompleteChar: streams.unicode ? '█' : '#',
    barIncompleteChar: streams.unicode ? '░' : '.',
    barsize: barColumns,
    fps: 5,
    clearOnComplete: true,
    hideCursor: false,
    linewrap: true,
  });
}
