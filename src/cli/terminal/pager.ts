/** Sends long results to the user's pager. Text is buffered until it is longer than the window. */
import type { ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { outputOf, startShell } from '../../base/child-process.ts';
import type { Environment } from '../../base/environment.ts';
import { ignoreInterrupts } from './keys.ts';
import { note } from './messages.ts';
import { delayNotes, type Streams, write } from './streams.ts';
import { displayWidth } from './width.ts';

/** The time during which output may go to the pager. */
export interface PagerSession {
  /** Writes the remaining text and waits until the pager has ended. */
  end(): Promise<void>;
}

/** Sends output that is longer than the window to the pager until `end` is called. `signal` ends the pager; Ctrl-C doesn't. */
export function startPagerSession(streams: Streams, env: Environment, signal: AbortSignal): PagerSession {
  // Notes are shown after the result, which is buffered until boh knows whether it fits.
  const showNotes = delayNotes(streams);
  const output = new PagedOutput(streams, env, signal);
  streams.paged = { output, headerLines: 0 };
  return {
    async end() {
      try {
        await output.finish();
      } finally {
        streams.paged = undefined;
        showNotes();
      }
    },
  };
}

/** The maximum number of characters that are stored to write them again if the pager doesn't start: more than the capacity of a pipe. */
const maxReplayCharacters = 1 << 20;

/** Exit codes of a shell that can't find or start a program. */
const notStartedCodes = [126, 127];

class PagedOutput extends Writable {
  readonly #streams: Streams;
  readonly #env: Environment;
  readonly #signal: AbortSignal;
  /** The text so far, while it fits in the window. */
  #bufferedText: string | undefined = '';
  #lineCount = 0;
  #pager: Pager | undefined;

  constructor(streams: Streams, env: Environment, signal: AbortSignal) {
    super({ decodeStrings: false });
    this.#streams = streams;
    this.#env = env;
    this.#signal = signal;
    // The caller of `write` gets the error; without a listener the process would end.
    this.on('error', () => {});
  }

  override _write(chunk: unknown, _encoding: string, done: (error?: Error) => void): void {
    this.#add(String(chunk)).then(() => done(), done);
  }

  async #add(text: string): Promise<void> {
    if (this.#pager) return this.#pager.write(text);
    if (this.#bufferedText === undefined) return write(this.#terminal(), text);
    this.#bufferedText += text;
    this.#lineCount += countLines(text, this.#streams.columns('out'));
    if (this.#lineCount < this.#streams.rows('out')) return;
    const bufferedText = this.#bufferedText;
    this.#bufferedText = undefined;
    const choice = choosePager(this.#env, this.#streams.paged?.headerLines ?? 0);
    if (choice && 'command' in choice) {
      this.#pager = new Pager(choice, this.#terminal(), this.#signal);
      return this.#pager.write(bufferedText);
    }
    if (choice) note(this.#streams, `Pager "${choice.missing}" not found.`);
    return write(this.#terminal(), bufferedText);
  }

  #terminal(): Writable {
    const { paged } = this.#streams;
    this.#streams.paged = undefined;
    const { stdout } = this.#streams;
    this.#streams.paged = paged;
    return stdout;
  }

  async finish(): Promise<void> {
    if (this.#pager) return this.#pager.end();
    const remainingText = this.#bufferedText ?? '';
    this.#bufferedText = undefined;
    if (remainingText !== '') await write(this.#terminal(), remainingText);
  }
}

class Pager {
  readonly #child: ChildProcess;
  readonly #end: Promise<void>;
  readonly #target: Writable;
  /** The text sent so far. Undefined if it was longer than a pipe's capacity: the pager has then started. */
  #sentText: string | undefined = '';
  /** Whether the shell didn't find the pager. The text is then written to the terminal. */
  #isMissing = false;

  constructor(
    { command, env }: { command: string; env: Environment },
    target: Writable,
    signal: AbortSignal,
  ) {
    this.#target = target;
    const release = ignoreInterrupts();
    const stdio = ['pipe', 'inherit', 'inherit'] as const;
    this.#child = startShell(command, [], { env, stdio: [...stdio] });
    const stop = () => this.#child.kill();
    signal.addEventListener('abort', stop);
    this.#child.stdin?.on('error', () => {});
    this.#end = new Promise((resolve) => {
      const onEnd = async (exitCode: number | null) => {
        signal.removeEventListener('abort', stop);
        release();
        this.#isMissing = notStartedCodes.includes(exitCode ?? 0) && this.#sentText !== undefined;
        if (this.#isMissing) await write(this.#target, this.#sentText ?? '').catch(() => {});
        resolve();
      };
      this.#child.on('error', () => onEnd(127));
      this.#child.on('close', onEnd);
    });
  }

  /** Writes text. Throws the error of a closed pipe if the user has closed the pager. */
  async write(text: string): Promise<void> {
    if (this.#isMissing) return write(this.#target, text);
    if (this.#sentText !== undefined) {
      this.#sentText =
        this.#sentText.length + text.length > maxReplayCharacters ? undefined : this.#sentText + text;
    }
    const { stdin } = this.#child;
    if (!stdin) return;
    try {
      await write(stdin, text);
    } catch (error) {
      await this.#end;
      // The stored text, which includes this text, was written to the terminal.
      if (this.#isMissing) return;
      throw Object.assign(new Error('The pager was closed.'), { code: 'EPIPE', cause: error });
    }
  }

  end(): Promise<void> {
    this.#child.stdin?.end();
    return this.#end;
  }
}

function countLines(text: string, columns: number): number {
  const lines = text.split('\n');
  lines.pop();
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(lineWidth(line) / columns)), 0);
}

function lineWidth(line: string): number {
  return displayWidth(stripVTControlCharacters(line));
}

interface PagerChoice {
  /** The command line for the shell. */
  command: string;
  env: Environment;
}

/** A configured pager that was not found. */
interface MissingPager {
  missing: string;
}

/**
 * The flags that git gives less: colors, no paging of text that fits, and no clearing of the screen. A wide table isn't
 * wrapped: the arrow keys scroll it.
 */
const lessFlags = { text: 'FRX', table: 'FRSX' };

/** The first version of less with `--header`. */
const minHeaderVersion = 600;

/**
 * Returns the pager: BOH_PAGER, else PAGER, else less. Undefined if the value is empty or `cat`, or if less isn't found.
 * `headerLines` is the number of lines at the top that the pager keeps in place.
 */
function choosePager(env: Environment, headerLines: number): PagerChoice | MissingPager | undefined {
  const configured = env.BOH_PAGER ?? env.PAGER;
  const command = (configured ?? 'less').trim();
  if (command === '' || command === 'cat') return undefined;
  const [program = ''] = command.split(/\s+/);
  // Shell syntax, such as VARIABLE=value, is left to the shell.
  const isPlainProgram = /^[\w./+-]+$/.test(program);
  if (isPlainProgram && !isExecutable(program, env))
    return configured === undefined ? undefined : { missing: command };
  if (!isPlainProgram || basename(program) !== 'less') return { command, env };
  const keepsHeader = headerLines > 0 && lessVersion(program, env) >= minHeaderVersion;
  return {
    command: keepsHeader ? `${command} --header ${headerLines}` : command,
    env: { LESS: lessFlags[headerLines > 0 ? 'table' : 'text'], ...env },
  };
}

function isExecutable(program: string, env: Environment): boolean {
  const folders = program.includes('/') ? [''] : (env.PATH ?? '').split(delimiter);
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Returns the version of less, or 0 if it isn't known. */
function lessVersion(program: string, env: Environment): number {
  try {
    const output = outputOf(program, ['--version'], { env, timeoutMs: 1000 });
    return Number(/^less (\d+)/.exec(output)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
