/** Shows on stderr what boh is waiting for, and the progress of long runs: only on a terminal, and only if it takes long. */

import { formatCount } from '../../base/shown-items.ts';
import { cleanLine, toAscii } from './clean.ts';
import type { StatusLine, Streams } from './streams.ts';

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

/** The time in milliseconds after which a wait is shown. */
const waitShownAfterMs = 400;

/** Returns monotonic milliseconds. `performance.now()` would load eight modules of Node. */
const uptimeMs = () => process.uptime() * 1_000;

/** The time in milliseconds after the start of a series of requests from which each further wait is shown at once. */
const countAfterMs = 2_000;

const clearLine = '\r\x1b[K';

/**
 * Shows "Waiting for api.example.com …" after `delayMs` milliseconds, until the returned function is called, which removes
 * it. Nothing is drawn while a question, a pager or a bar has the terminal.
 */
export function showWaiting(streams: Streams, label: string, delayMs: number = waitShownAfterMs): () => void {
  if (!streams.isTerminal.err || !streams.cursor || streams.quiet) return () => {};
  let drawnLine: StatusLine | undefined;
  const show = () => {
    const { delayedNotes, statusLine, hasOutputStarted, isTerminal } = streams;
    if (delayedNotes || statusLine || (hasOutputStarted && isTerminal.out)) return;
    const line: StatusLine = {
      clear() {
        streams.stderr.write(clearLine);
        if (streams.statusLine === line) streams.statusLine = undefined;
        drawnLine = undefined;
      },
    };
    drawnLine = line;
    streams.statusLine = line;
    // A line that fills the window would move the cursor to the next line.
    const text = `${cleanLine(label).slice(0, Math.max(0, streams.columns('err') - 5))} …`;
    streams.stderr.write(`${clearLine}${streams.unicode ? text : toAscii(text)}`);
  };
  const timer = delayMs === 0 ? show() : setTimeout(show, delayMs).unref();
  return () => {
    clearTimeout(timer ?? undefined);
    drawnLine?.clear();
  };
}

/**
 * Shows the waits of a series of requests. After two seconds in total each wait is shown at once, with the number of
 * responses. After a second without a request a new series starts.
 */
export function showWaitingForSeries(streams: Streams, label: string, now = uptimeMs): () => () => void {
  let seriesStartMs = 0;
  let lastEndMs = Number.NEGATIVE_INFINITY;
  let openWaits = 0;
  let responseCount = 0;
  return () => {
    if (openWaits === 0 && now() - lastEndMs > 1_000) {
      seriesStartMs = now();
      responseCount = 0;
    }
    openWaits++;
    const isLong = responseCount > 0 && now() - seriesStartMs >= countAfterMs;
    const text = isLong
      ? `${label}, ${formatCount(responseCount)} ${responseCount === 1 ? 'response' : 'responses'} so far`
      : label;
    const endWait = showWaiting(streams, text, isLong ? 0 : waitShownAfterMs);
    return () => {
      openWaits--;
      responseCount++;
      lastEndMs = now();
      endWait();
    };
  };
}
