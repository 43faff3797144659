/** A sign of life on stderr’s last line while something is waited for: only on a terminal, and only once it takes long. */
import { cleanLine, inAscii } from './clean.ts';
import { numeral } from './numeral.ts';
import type { StatusLine, Streams } from './streams.ts';

/** Milliseconds after which people wonder. */
const wonderMs = 400;

/** Milliseconds that nothing sets back. The clock of `performance` loads eight modules of Node. */
export const sinceStart = () => process.uptime() * 1_000;

/** Milliseconds after which what goes on is shown without a break. */
const longMs = 2_000;

const clear = '\r\x1b[K';

/**
 * “Waiting for api.example.com …”, from `after` milliseconds on until the answer is called, which takes it away without
 * a trace. Nothing is drawn while a question, a pager or a bar has the terminal.
 */
export function waiting(streams: Streams, what: string, after: number = wonderMs): () => void {
  if (!streams.isTerminal.err || !streams.cursor || streams.quiet) return () => {};
  let drawn: StatusLine | undefined;
  const show = () => {
    const { held, statusLine, isShowing, isTerminal } = streams;
    if (held || statusLine || (isShowing && isTerminal.out)) return;
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
  const timer = after === 0 ? show() : setTimeout(show, after).unref();
  return () => {
    clearTimeout(timer ?? undefined);
    drawn?.clear();
  };
}

/**
 * The same for requests that follow each other, each of which may be quick: once they have taken two seconds together,
 * each is shown from its beginning, with how many were answered. A second in which nothing is asked begins anew.
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
      ? `${what}, ${numeral(answered)} ${answered === 1 ? 'answer' : 'answers'} so far`
      : what;
    const over = waiting(streams, text, isLong ? 0 : wonderMs);
    return () => {
      open--;
      answered++;
      last = now();
      over();
    };
  };
}
