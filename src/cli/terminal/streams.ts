/** The three standard streams, their capabilities, and functions to write to them. */

import { fstatSync, type Stats, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../../base/environment.ts';
import { Failure } from '../../base/errors.ts';
import type { RepeatedFlags } from '../../base/hint.ts';
import { redactOutput } from '../../base/redaction.ts';

/** The standard streams and their capabilities. */
export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly isTerminal: { readonly in: boolean; readonly out: boolean; readonly err: boolean };
  /** Returns the current width of stdout or stderr; 80 if unknown. */
  columns(stream: 'out' | 'err'): number;
  /** Returns the current height of its window in lines; 24 if unknown. */
  rows(stream: 'out' | 'err'): number;
  readonly color: { readonly out: boolean; readonly err: boolean };
  /** Whether boh's own symbols (…, –, ✓) may be beyond ASCII. Data is always written as UTF-8. */
  readonly unicode: boolean;
  /** Whether the terminal can move its cursor: not with TERM=dumb. */
  readonly cursor: boolean;
  /** Whether boh may ask questions: not with --no-input, in CI, or without a terminal. */
  readonly interactive: boolean;
  /** Whether notes on stderr are suppressed (--quiet). Failures and warnings are still shown. */
  readonly quiet: boolean;
  /** The flags of this command line that suggested command lines repeat. */
  readonly repeatedFlags: RepeatedFlags | undefined;
  /** Writes as much of the text as stdout accepts at once, without opening its stream. Returns the remaining bytes. */
  writeSyncPrefix?(text: string): Uint8Array;
  /** The status line at the end of stderr, if one is shown. Messages clear it first. */
  statusLine?: StatusLine | undefined;
  /** Messages that wait until a question or the pager has ended. */
  delayedNotes?: string[] | undefined;
  /** Whether a result has started: the cursor may then be in an unfinished line. */
  hasOutputStarted?: boolean | undefined;
  /** Where results go while they may be longer than the window; see `pager.ts`. */
  paged?: Paged | undefined;
}

/** Output to the pager. */
export interface Paged {
  readonly output: Writable;
  /** The number of lines at the top that stay visible. */
  headerLines: number;
}

/** A line on stderr that is redrawn. */
export interface StatusLine {
  clear(): void;
}

export interface StreamFlags {
  noColor?: boolean;
  noInput?: boolean;
  quiet?: boolean;
  repeatedFlags?: RepeatedFlags;
}

/** Thrown when the reader of stdout has ended, as after `| head -1`. The program then ends silently with exit 0. */
export class OutputClosed extends Error {
  constructor() {
    super('The reader closed the output.');
    this.name = 'OutputClosed';
  }
}

/** Thrown when the device refuses the output. The response to a write is then lost, but the write was applied. */
export class OutputRefused extends Failure {
  readonly reason: string;

  constructor(reason: string, cause: Error) {
    super('unavailable', `Can't write the output: ${reason}.`, {
      hint: 'The output is incomplete. Write it elsewhere, and run the command again.',
      cause,
    });
    this.reason = reason;
  }
}

/** Returns the streams of this process. Each is opened on first use, because opening takes start-up time. */
export function openProcessStreams(env: Environment, flags: StreamFlags = {}): Streams {
  const isTerminal = { in: isTerminalAt(0), out: isTerminalAt(1), err: isTerminalAt(2) };
  const isDumb = env.TERM === 'dumb';
  return {
    get stdin() {
      return addErrorListener(process.stdin);
    },
    get stdout() {
      if (this.paged) return this.paged.output;
      this.hasOutputStarted = true;
      return addErrorListener(makeNonblocking(process.stdout));
    },
    paged: undefined,
    hasOutputStarted: false,
    get stderr() {
      return addErrorListener(makeNonblocking(process.stderr));
    },
    isTerminal,
    writeSyncPrefix: (text) => writeSyncPrefix(1, text),
    columns: (name) => firstSize(isTerminal[name] && process[`std${name}`].columns, env.COLUMNS, 80),
    rows: (name) => firstSize(isTerminal[name] && process[`std${name}`].rows, env.LINES, 24),
    color: {
      out: hasColor(env, flags, isTerminal.out),
      err: hasColor(env, flags, isTerminal.err),
    },
    unicode: hasUnicode(env, process.platform),
    cursor: !isDumb,
    interactive: isTerminal.in && isTerminal.err && flags.noInput !== true && !isOn(env.CI),
    // A profile, which is read later, can also set this.
    get quiet() {
      return flags.quiet === true || isOn(env.BOH_QUIET);
    },
    get repeatedFlags() {
      return flags.repeatedFlags;
    },
  };
}

/** Delays messages until the returned function is called, so that they don't overwrite the screen. */
export function delayNotes(streams: Streams): () => void {
  const outerNotes = streams.delayedNotes;
  const delayed: string[] = [];
  streams.delayedNotes = delayed;
  return () => {
    streams.delayedNotes = outerNotes;
    if (outerNotes) outerNotes.push(...delayed);
    else for (const text of delayed) streams.stderr.write(text);
  };
}

/** Sets how many of the next lines are a header that a pager keeps visible. */
export function setHeaderLines({ paged }: Streams, headerLines: number): void {
  if (paged) paged.headerLines = headerLines;
}

/**
 * Writes text with known secrets redacted, or bytes unchanged. Resolves when the stream has accepted it, so that a slow reader slows
 * down the writer.
 * @throws OutputClosed if the reader has ended; OutputRefused if the device doesn't accept the text.
 */
export function write(stream: Writable, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(typeof text === 'string' ? redactOutput(text) : text, (error) => {
      if (error) reject(writeFailure(stream.errored ?? error));
      else resolve();
    });
  });
}

/** The maximum number of characters per write: the capacity of a pipe. Longer blocks would need more memory. */
const maxBlockCharacters = 65_536;

/** The time in milliseconds after which an incomplete block is written. It is too short to notice. */
const batchDelayMs = 20;

/**
 * Writes text to stdout in blocks. The next block is collected while one is written, and an incomplete block is written
 * if the source is slow. The stream is opened only if stdout doesn't accept the whole text at once.
 */
export async function writeAll(
  streams: Pick<Streams, 'stdout' | 'paged' | 'writeSyncPrefix'>,
  chunks: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const writeBlock = async (block: string, isOnlyBlock: boolean) => {
    const remaining = (isOnlyBlock && !streams.paged && streams.writeSyncPrefix?.(block)) || block;
    if (remaining.length > 0) await write(streams.stdout, remaining);
  };
  let block = '';
  let isFirst = true;
  let timer: NodeJS.Timeout | undefined;
  let writeError: unknown;
  let writing: Promise<void> = Promise.resolve();
  const flush = (isLast: boolean) => {
    clearTimeout(timer);
    timer = undefined;
    const [text, isOnlyBlock] = [redactOutput(block), isFirst && isLast];
    block = '';
    isFirst = false;
    writing = writing
      .then(() => (text === '' || writeError ? undefined : writeBlock(text, isOnlyBlock)))
      .catch((error: unknown) => {
        writeError = error;
      });
    return writing;
  };
  try {
    for await (const chunk of chunks) {
      if (block !== '' && block.length + chunk.length > maxBlockCharacters) {
        await writing;
        flush(false);
      }
      if (writeError) break;
      block += chunk;
      timer ??= setTimeout(() => flush(false), batchDelayMs);
    }
  } finally {
    // Runs also if the source fails, so that the text before the failure is written.
    await flush(true);
  }
  if (writeError) throw writeError;
}

/**
 * Returns whether to use color. The first of these decides: `--no-color`, NO_COLOR (https://no-color.org), FORCE_COLOR,
 * TERM=dumb, and whether the stream is a terminal.
 */
export function hasColor(env: Environment, flags: StreamFlags, isTerminal: boolean): boolean {
  if (flags.noColor === true || isSet(env.NO_COLOR)) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTerminal && env.TERM !== 'dumb';
}

/** Returns whether the locale is UTF-8. By POSIX LC_ALL precedes LC_CTYPE and LANG; without any the locale is C, which is ASCII. */
export function hasUnicode(env: Environment, platform: NodeJS.Platform): boolean {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find(isSet);
  if (locale === undefined) return platform === 'win32' || platform === 'darwin';
  return /utf-?8/i.test(locale);
}

export function isOn(value: string | undefined): boolean {
  return isSet(value) && !['false', '0', 'no'].includes(value);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

/** Returns the first known size. Serial consoles and some pseudo-terminals report a size of 0. */
function firstSize(...sizes: (number | string | false | undefined)[]): number {
  return sizes.map(Number).find((size) => Number.isInteger(size) && size > 0) ?? 0;
}

/**
 * Makes writes to a terminal nonblocking. In Node they block, and no signal is handled while the terminal accepts no
 * output (Ctrl-S, a hanging window). There is no public API for this.
 */
function makeNonblocking<Stream extends NodeJS.WriteStream>(stream: Stream): Stream {
  const { _handle: handle } = stream as { _handle?: { setBlocking?(isBlocking: boolean): void } };
  if (stream.isTTY && process.platform !== 'win32') handle?.setBlocking?.(false);
  return stream;
}

/** Adds an error listener: without one an error of a stream (a closed window) would crash the process. */
function addErrorListener<Stream extends Readable | Writable>(stream: Stream): Stream {
  if (stream.listenerCount('error', ignore) === 0) stream.on('error', ignore);
  return stream;
}

function ignore(): void {}

function writeFailure(error: NodeJS.ErrnoException): Error {
  const code = error.code ?? '';
  if (closedCodes.has(code)) return new OutputClosed();
  return new OutputRefused(failureReasons[code] ?? error.message, error);
}

/** Error codes of a closed output. Windows has EOF for EPIPE. */
const closedCodes = new Set([
  'EPIPE',
  'EOF',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

const failureReasons: Record<string, string> = {
  ENOSPC: 'no space left on the device',
  EDQUOT: 'disk quota exceeded',
  EFBIG: 'the file would be too large',
  EIO: 'input/output error',
};

/** Bytes that a pipe accepts without waiting for its reader. Pipes of Linux take more than others. */
const maxSyncBytes = process.platform === 'linux' ? 65_536 : 16_384;

/** Returns whether a descriptor is a terminal. For files, pipes and `/dev/null` this doesn't load `node:tty`, which is slow. */
function isTerminalAt(descriptor: number): boolean {
  if (process.platform !== 'win32' && !mayBeTerminal(statsOf(descriptor))) return false;
  return process.getBuiltinModule('node:tty').isatty(descriptor);
}

function mayBeTerminal(stats: Stats | undefined): boolean {
  return stats?.isCharacterDevice() === true && stats.rdev !== statSync(devNull).rdev;
}

/** Writes as much of the text as a file or pipe accepts without waiting. Returns the remaining bytes, for a stream to write. */
export function writeSyncPrefix(descriptor: number, text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const stats = process.platform === 'win32' ? undefined : statsOf(descriptor);
  // Node passes sockets as pipes to the processes that it starts.
  const canWriteSync = stats?.isFIFO() || stats?.isSocket() || stats?.isFile();
  if (bytes.length > maxSyncBytes || !canWriteSync) return bytes;
  try {
    // A nonblocking pipe that is nearly full accepts only a part.
    return bytes.subarray(writeSync(descriptor, bytes));
  } catch {
    // The pipe is full or closed, or the device refuses the text. The stream will report which.
    return bytes;
  }
}

function statsOf(descriptor: number): Stats | undefined {
  try {
    return fstatSync(descriptor);
  } catch {
    // The parent process has closed it.
    return undefined;
  }
}
