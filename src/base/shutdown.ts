/** Exits within one second of a signal or a timeout, even if the run waits for something. */
import { existsSync } from 'node:fs';
import { Failure } from './errors.ts';

/** The time in which work in progress can report its outcome and clean up after a signal. */
const graceMs = 400;

/** The time in which the process should exit by itself. After that, it is forced to exit although something is still open. */
const lingerMs = 100;

/** A second signal within this time is ignored: a library or a parent process may have forwarded the first signal again. */
const duplicateSignalMs = 100;

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Whether a signal or a timeout ended the run of this process. */
let isForced = false;

/** Controls the shutdown of a run. */
export interface Shutdown {
  /** Is aborted when the run must end. Its reason is a Failure. */
  readonly signal: AbortSignal;
  /** Rejects with the same Failure if the run doesn't end in time, because it waits for something that ignores the signal. */
  readonly forcedExit: Promise<never>;
  /** Ends the run with the failure after `ms` milliseconds. */
  shutDownAfter(ms: number, failure: Failure): void;
  /** Waits for another program in the foreground. Until it ends, `forcedExit` doesn't reject. */
  waitForForeground<Value>(program: Promise<Value>): Promise<Value>;
  /** Restores the default handling of signals after the run. */
  stop(): void;
}

/** Ends the run on SIGINT, SIGTERM and SIGHUP. A second signal ends the process immediately. */
export function handleSignals(): Shutdown {
  const controller = new AbortController();
  const { promise: forcedExit, reject } = Promise.withResolvers<never>();
  // If the run ends in time, nothing awaits this promise.
  forcedExit.catch(() => undefined);
  let grace: NodeJS.Timeout | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let foregroundPrograms = 0;
  let shutdownTime = 0;

  const shutDown = (failure: Failure) => {
    if (controller.signal.aborted) return;
    shutdownTime = performance.now();
    isForced = true;
    controller.abort(failure);
    grace = setTimeout(() => foregroundPrograms > 0 || reject(failure), graceMs);
  };
  const onSignal = (name: NodeJS.Signals) => {
    const exitCode = exitCodes[name as keyof typeof exitCodes];
    if (controller.signal.aborted && performance.now() - shutdownTime > duplicateSignalMs) exitNow(exitCode);
    shutDown(new Failure('interrupted', 'Interrupted.', { exitCode }));
  };
  for (const name of Object.keys(exitCodes)) process.on(name, onSignal);

  return {
    signal: controller.signal,
    forcedExit,
    shutDownAfter(ms, failure) {
      clearTimeout(deadline);
      deadline = setTimeout(() => shutDown(failure), ms).unref();
    },
    async waitForForeground(program) {
      foregroundPrograms++;
      try {
        return await program;
      } finally {
        foregroundPrograms--;
      }
    },
    stop() {
      for (const name of Object.keys(exitCodes)) process.off(name, onSignal);
      clearTimeout(grace);
      clearTimeout(deadline);
      // Cancel requests that a canceled prompt has left open: their responses aren't needed.
      controller.abort(new Failure('interrupted', 'The run has ended.'));
    },
  };
}

/**
 * Exits with this code as soon as the work of the process is done. A host name lookup or an open call that hangs doesn't
 * delay the exit. After a signal or a timeout, a reader that doesn't read the output doesn't delay it either.
 */
export function exitWhenDone(exitCode: number): void {
  process.nextTick(() => {
    exitIfDone(exitCode);
    // A connection that was just closed is released in the next turn of the event loop.
    setImmediate(exitIfDone, exitCode);
  });
  const exitWhenWritten = () => {
    const isWriting = process.stdout.writableLength + process.stderr.writableLength > 0;
    if (isWriting && !isForced) setTimeout(exitWhenWritten, lingerMs).unref();
    else exitNow(exitCode);
  };
  setTimeout(exitWhenWritten, lingerMs).unref();
}

/** The resources that don't keep a process alive: pipes and terminals that aren't being read or written. */
const idleResources = new Set(['PipeWrap', 'TTYWrap']);

/** Exits immediately if no work is left. This skips the cleanup of the engine, which takes a tenth of the start-up time. */
function exitIfDone(exitCode: number): void {
  if (process.getActiveResourcesInfo().every((name) => idleResources.has(name))) process.exit(exitCode);
}

const shell = '/bin/sh';

/**
 * Exits immediately. `process.exit` waits for Node's threads, and a host name lookup or opening a pipe can block one for
 * minutes. A shell that replaces the process exits at once with the same code.
 */
function exitNow(exitCode: number): never {
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
