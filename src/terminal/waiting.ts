/** Shows on stderr what boh is waiting for: only on a terminal, and only if it takes long. */
import { cleanLine, toAscii } from './clean.ts';
import { formatCount } from './format-count.ts';
import type { StatusLine, Streams } from './streams.ts';

/** The time in milliseconds after which a wait is shown. */
const showAfterMs = 400;

/** Returns monotonic milliseconds. `performance.now()` would load eight modules of Node. */
export const uptimeMs = () => process.uptime() * 1_000;

/** The time in milliseconds after the start of a series of requests from which each further wait is shown at once. */
const countAfterMs = 2_000;

const clearLine = '\r\x1b[K';

/**
 * Shows "Waiting for api.example.com …" after `delayMs` milliseconds, until the returned function is called, which removes
 * it. Nothing is drawn while a question, a pager or a bar has the terminal.
 */
export function showWaiting(streams: Streams, label: string, delayMs: number = showAfterMs): () => void {
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
    const endWait = showWaiting(streams, text, isLong ? 0 : showAfterMs);
    return () => {
      openWaits--;
      responseCount++;
      lastEndMs = now();
      endWait();
    };
  };
}
