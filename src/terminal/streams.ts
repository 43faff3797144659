/** The three standard streams, what each can show, and writing to them without losing or breaking anything. */

import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../base/environment.ts';
import { Failure } from '../base/errors.ts';
import type { RepeatedFlags } from '../base/hint.ts';
import { redactedOutput } from '../base/mask.ts';
import { isTerminal as isTerminalAt, writeBriefly } from './descriptors.ts';

export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly isTerminal: { readonly in: boolean; readonly out: boolean; readonly err: boolean };
  /** Width of stdout in columns, as it is now: a window can be resized. 80 where nothing says otherwise. */
  readonly columns: number;
  /** Height of the window in lines, likewise. 24 where nothing says otherwise. */
  readonly rows: number;
  readonly colour: { readonly out: boolean; readonly err: boolean };
  /** Whether boh's own marks (…, –, ✓) may go beyond ASCII. Data is written as UTF-8 in any case. */
  readonly unicode: boolean;
  /** Whether the terminal can move its cursor: not where TERM=dumb. */
  readonly cursor: boolean;
  /** Whether questions may be asked: never with --no-input, in CI, or away from a terminal. */
  readonly interactive: boolean;
  /** Whether remarks on stderr are unwanted (--quiet). Failures and warnings are shown all the same. */
  readonly quiet: boolean;
  /** The flags of this command line that command lines in messages repeat. */
  readonly repeated: RepeatedFlags | undefined;
  /** Writes a text to stdout without opening its stream, as far as that can be done at once; answers what is left. */
  writeBriefly?(text: string): Uint8Array;
  /** What is being redrawn on stderr's last line, while something is; remarks clear it first. */
  statusLine?: StatusLine | undefined;
  /** While a question is asked, or a pager has the terminal: what is said meanwhile, to be shown once that is over. */
  held?: string[] | undefined;
  /** Whether a result has begun to be shown: from then on lines of it may stand unfinished where the cursor is. */
  isShowing?: boolean | undefined;
  /** Where results go while they may turn out to be longer than the window; see `pager.ts`. */
  paged?: Paged | undefined;
}

export interface Paged {
  readonly output: Writable;
  /** How many lines at the top are to stay in sight, as far as that is known. */
  headerLines: number;
}

export interface StatusLine {
  clear(): void;
}

export interface StreamFlags {
  noColor?: boolean;
  noInput?: boolean;
  quiet?: boolean;
  repeated?: RepeatedFlags;
}

/** The reader of stdout has gone, as after `| head -1`. No failure: the program ends silently, with exit 0. */
export class OutputClosed extends Error {
  constructor() {
    super('The reader of the output has closed it.');
    this.name = 'OutputClosed';
  }
}

/** The device refused the output. What a write of the service answered is lost then, the write is not. */
export class OutputRefused extends Failure {
  readonly reason: string;

  constructor(reason: string, cause: Error) {
    super('unavailable', `The output could not be written: ${reason}.`, {
      hint: 'What was written so far is not complete. Choose another place for it, and run the command again.',
      cause,
    });
    this.reason = reason;
  }
}

/** The process's own streams. Each is opened only when it is first used, because opening costs start-up time. */
export function processStreams(env: Environment, flags: StreamFlags = {}): Streams {
  const isTerminal = { in: isTerminalAt(0), out: isTerminalAt(1), err: isTerminalAt(2) };
  const dumb = env.TERM === 'dumb';
  return {
    get stdin() {
      return guarded(process.stdin);
    },
    get stdout() {
      if (this.paged) return this.paged.output;
      this.isShowing = true;
      return guarded(unblocked(process.stdout));
    },
    paged: undefined,
    isShowing: false,
    get stderr() {
      return guarded(unblocked(process.stderr));
    },
    isTerminal,
    writeBriefly: (text) => writeBriefly(1, text),
    get columns() {
      return sizeOr(isTerminal.out ? process.stdout.columns : Number(env.COLUMNS), 80);
    },
    get rows() {
      return sizeOr(isTerminal.out ? process.stdout.rows : Number(env.LINES), 24);
    },
    colour: {
      out: hasColour(env, flags, isTerminal.out),
      err: hasColour(env, flags, isTerminal.err),
    },
    unicode: hasUnicode(env, process.platform),
    cursor: !dumb,
    interactive: isTerminal.in && isTerminal.err && flags.noInput !== true && !isOn(env.CI),
    // A profile may say so too, which is known only later.
    get quiet() {
      return flags.quiet === true || isOn(env.BOH_QUIET);
    },
    get repeated() {
      return flags.repeated;
    },
  };
}

/** What is said from here on waits until the answer is called: it would be drawn into what the person looks at. */
export function holdRemarks(streams: Streams): () => void {
  const before = streams.held;
  const held: string[] = [];
  streams.held = held;
  return () => {
    streams.held = before;
    if (before) before.push(...held);
    else for (const text of held) streams.stderr.write(text);
  };
}

/** So many lines of what is written next are a header, which a pager may hold in place. */
export function keepInSight({ paged }: Streams, headerLines: number): void {
  if (paged) paged.headerLines = headerLines;
}

/**
 * Writes a text without the secrets that are known, or bytes as they are, and resolves once the stream has taken it, so that a slow reader slows the writer down.
 * @throws OutputClosed where the reader has gone; OutputRefused where the device doesn’t take the text.
 */
export function write(stream: Writable, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(typeof text === 'string' ? redactedOutput(text) : text, (error) => {
      if (error) reject(writeFailure(stream.errored ?? error));
      else resolve();
    });
  });
}

/** In characters. A pipe takes as much at once, and of a longer text the engine and the system make room for each anew. */
const longestBlock = 65_536;

/** Longer than it takes to make a block, and shorter than anyone would notice. */
const holdMs = 20;

/**
 * Writes texts to stdout one after another, in blocks: the next is made while one is written, and nothing is held back
 * while the next text is waited for. The stream is opened only where the whole of it isn’t taken at once.
 */
export async function writeAll(
  streams: Pick<Streams, 'stdout' | 'paged' | 'writeBriefly'>,
  texts: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const send = async (block: string, isWhole: boolean) => {
    const left = (isWhole && !streams.paged && streams.writeBriefly?.(block)) || block;
    if (left.length > 0) await write(streams.stdout, left);
  };
  let block = '';
  let isFirst = true;
  let timer: NodeJS.Timeout | undefined;
  let failure: unknown;
  let writing: Promise<void> = Promise.resolve();
  const flush = (isLast: boolean) => {
    clearTimeout(timer);
    timer = undefined;
    const [ready, isWhole] = [redactedOutput(block), isFirst && isLast];
    block = '';
    isFirst = false;
    writing = writing
      .then(() => (ready === '' || failure ? undefined : send(ready, isWhole)))
      .catch((error: unknown) => {
        failure = error;
      });
    return writing;
  };
  try {
    for await (const text of texts) {
      if (block !== '' && block.length + text.length > longestBlock) {
        await writing;
        flush(false);
      }
      if (failure) break;
      block += text;
      timer ??= setTimeout(() => flush(false), holdMs);
    }
  } finally {
    // Also where the source fails: what it gave has come.
    await flush(true);
  }
  if (failure) throw failure;
}

/**
 * Colour: `--no-color`, then NO_COLOR (https://no-color.org), then FORCE_COLOR, then a dumb terminal,
 * then whether there is a terminal at all.
 */
export function hasColour(env: Environment, flags: StreamFlags, isTerminal: boolean): boolean {
  if (flags.noColor === true || isSet(env.NO_COLOR)) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTerminal && env.TERM !== 'dumb';
}

/** POSIX: LC_ALL goes before LC_CTYPE, and both before LANG; where none is set the locale is C, which is ASCII. */
export function hasUnicode(env: Environment, platform: NodeJS.Platform): boolean {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find(isSet);
  if (locale === undefined) return platform === 'win32' || platform === 'darwin';
  return /utf-?8/i.test(locale);
}

/** Whether a variable says yes. */
export function isOn(value: string | undefined): boolean {
  return isSet(value) && !['false', '0', 'no'].includes(value);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

/** Some pseudo-terminals report a size of 0. */
function sizeOr(size: number | undefined, usual: number): number {
  return size !== undefined && Number.isInteger(size) && size > 0 ? size : usual;
}

/**
 * Node writes to a terminal in one blocking call: where the terminal takes no more (Ctrl-S, a window that hangs), not
 * even a signal would be heard. There is no public way to say otherwise.
 */
function unblocked<Stream extends NodeJS.WriteStream>(stream: Stream): Stream {
  const { _handle: handle } = stream as { _handle?: { setBlocking?(isBlocking: boolean): void } };
  if (stream.isTTY && process.platform !== 'win32') handle?.setBlocking?.(false);
  return stream;
}

/** Without a listener, an error of a stream (a window that was closed) would end the process as a bug. */
function guarded<Stream extends Readable | Writable>(stream: Stream): Stream {
  if (stream.listenerCount('error', ignore) === 0) stream.on('error', ignore);
  return stream;
}

function ignore(): void {}

function writeFailure(error: NodeJS.ErrnoException): Error {
  const code = error.code ?? '';
  if (closedCodes.has(code)) return new OutputClosed();
  return new OutputRefused(reasons[code] ?? error.message, error);
}

/** EOF is what Windows says for EPIPE. */
const closedCodes = new Set([
  'EPIPE',
  'EOF',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

const reasons: Record<string, string> = {
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would become too large',
  EIO: 'the device failed',
};
