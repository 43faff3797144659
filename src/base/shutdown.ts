/** Ends a run within a second of a signal or its deadline, whatever it waits for. */
import { existsSync } from 'node:fs';
import { Failure } from './errors.ts';

/** After a signal, work in progress has this long to report its outcome and clean up. */
const graceMs = 400;

/** The process ends by itself when nothing is left to do. What is still open after this time keeps it alive without need. */
const lingerMs = 100;

/** A second signal within this time isn't the user's: a library or a program in between may pass the first one on again. */
const echoMs = 100;

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Whether a signal or a deadline ended the run of this process. */
let wasCut = false;

/** The end of one run. */
export interface Ending {
  /** Is aborted with a Failure that says why the run ends. */
  readonly signal: AbortSignal;
  /** Rejects with that Failure if the run doesn't end, because it waits for something that ignores the signal. */
  readonly overdue: Promise<never>;
  /** Ends the run after `ms` milliseconds. */
  endAfter(ms: number, failure: Failure): void;
  /** While another program is in the foreground, it decides when it ends: nothing is overdue. */
  yieldTo<Value>(program: Promise<Value>): Promise<Value>;
  /** Restores the usual effect of signals after the run. */
  stop(): void;
}

/** Makes SIGINT, SIGTERM and SIGHUP end the run. A second signal ends the process immediately. */
export function listenForEnding(): Ending {
  const controller = new AbortController();
  const { promise: overdue, reject } = Promise.withResolvers<never>();
  // If the run ends in time, nothing awaits this promise.
  overdue.catch(() => undefined);
  let grace: NodeJS.Timeout | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let others = 0;
  let endedAt = 0;

  const end = (failure: Failure) => {
    if (controller.signal.aborted) return;
    endedAt = performance.now();
    wasCut = true;
    controller.abort(failure);
    grace = setTimeout(() => others > 0 || reject(failure), graceMs);
  };
  const onSignal = (name: NodeJS.Signals) => {
    const exitCode = exitCodes[name as keyof typeof exitCodes];
    if (controller.signal.aborted && performance.now() - endedAt > echoMs) endNow(exitCode);
    end(new Failure('interrupted', 'Interrupted.', { exitCode }));
  };
  for (const name of Object.keys(exitCodes)) process.on(name, onSignal);

  return {
    signal: controller.signal,
    overdue,
    endAfter(ms, failure) {
      clearTimeout(deadline);
      deadline = setTimeout(() => end(failure), ms).unref();
    },
    async yieldTo(program) {
      others++;
      try {
        return await program;
      } finally {
        others--;
      }
    },
    stop() {
      for (const name of Object.keys(exitCodes)) process.off(name, onSignal);
      clearTimeout(grace);
      clearTimeout(deadline);
      // A canceled question may have left a request open: nothing waits for its answer now.
      controller.abort(new Failure('interrupted', 'The run has ended.'));
    },
  };
}

/**
 * Ends the process with this code when nothing is left to do. A host name look-up or an open call that hangs doesn't
 * delay the end. Neither does a reader that stopped reading the output, if a signal or a deadline ended the run.
 */
export function endWith(exitCode: number): void {
  process.nextTick(() => {
    endIfDone(exitCode);
    // A connection that was just closed is released in the next turn of the event loop.
    setImmediate(endIfDone, exitCode);
  });
  const look = () => {
    const isWriting = process.stdout.writableLength + process.stderr.writableLength > 0;
    if (isWriting && !wasCut) setTimeout(look, lingerMs).unref();
    else endNow(exitCode);
  };
  setTimeout(look, lingerMs).unref();
}

/** An open pipe or terminal doesn't keep a process alive while nothing is read from it or written to it. */
const idle = new Set(['PipeWrap', 'TTYWrap']);

/** Exits at once if nothing is left to do. This skips the engine's own cleanup, which takes a tenth of a start. */
function endIfDone(exitCode: number): void {
  if (process.getActiveResourcesInfo().every((name) => idle.has(name))) process.exit(exitCode);
}

const shell = '/bin/sh';

/**
 * Ends the process immediately. `process.exit` waits for Node's threads, and a host name look-up or opening a pipe can
 * block one for minutes. A shell that replaces the process ends at once with the same code.
 */
function endNow(exitCode: number): never {
  process.exitCode = exitCode;
  process.emit('exit', exitCode);
  // Loaded only here, because it would slow down every start.
  const { isatty } = process.getBuiltinModule('node:tty');
  if (isatty(0) && process.stdin.isRaw) process.stdin.setRawMode(false);
  if (process.platform !== 'win32' && process.execve && existsSync(shell)) {
    process.execve(shell, ['sh', '-c', `exit ${exitCode}`], {});
  }
  process.exit(exitCode);
}
