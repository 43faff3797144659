/** Shows on stderr what boh is waiting for: only on a terminal, and only if it takes long. */
import { cleanLine, inAscii } from './clean.ts';
import { numeral } from './numeral.ts';
import type { StatusLine, Streams } from './streams.ts';

/** Milliseconds until a wait is shown. */
const showAfterMs = 400;

/** Returns monotonic milliseconds. `performance.now()` would load eight modules of Node. */
export const sinceStart = () => process.uptime() * 1_000;

/** Milliseconds after which each further wait is shown at once. */
const longMs = 2_000;

const clear = '\r\x1b[K';

/**
 * Shows "Waiting for api.example.com …" after `afterMs` milliseconds, until the returned function is called, which removes
 * it. Nothing is drawn while a question, a pager or a bar has the terminal.
 */
export function waiting(streams: Streams, what: string, afterMs: number = showAfterMs): () => void {
  if (!streams.isTerminal.err || !streams.cursor || streams.quiet) return () => {};
  let drawn: StatusLine | undefined;
  const show = () => {
    const { delayedNotes, statusLine, isShowing, isTerminal } = streams;
    if (delayedNotes || statusLine || (isShowing && isTerminal.out)) return;
    const line: StatusLine = {
      clear() {
        streams.stderr.write(clear);
        if (streams.statusLine === line) streams.statusLine = undefined;
        drawn = undefined;
      },
    };
    drawn = line;
    streams.statusLine = line;
    // A line that fills the window would leave the cursor on the next one.
    const text = `${cleanLine(what).slice(0, Math.max(0, streams.columns - 5))} …`;
    streams.stderr.write(`${clear}${streams.unicode ? text : inAscii(text)}`);
  };
  const timer = afterMs === 0 ? show() : setTimeout(show, afterMs).unref();
  return () => {
    clearTimeout(timer ?? undefined);
    drawn?.clear();
  };
}

/**
 * Shows waits for requests that follow each other. After two seconds together each is shown at once, with the number of
 * answers. A second without a request starts again.
 */
export function waitingForEach(streams: Streams, what: string, now = sinceStart): () => () => void {
  let since = 0;
  let last = Number.NEGATIVE_INFINITY;
  let open = 0;
  let answered = 0;
  return () => {
    if (open === 0 && now() - last > 1_000) {
      since = now();
      answered = 0;
    }
    open++;
    const isLong = answered > 0 && now() - since >= longMs;
    const text = isLong
      ? `${what}, ${numeral(answered)} ${answered === 1 ? 'response' : 'responses'} so far`
      : what;
    const over = waiting(streams, text, isLong ? 0 : showAfterMs);
    return () => {
      open--;
      answered++;
      last = now();
      over();
    };
  };
}
