/** How a run ends when it is told to, by a signal or by its deadline: within a second, whatever it waits for. */
import { existsSync } from 'node:fs';
import { Failure } from './errors.ts';

/** What is under way may tell its outcome and tidy up for so long; then it is left as it is. */
const graceMs = 400;

/** The process ends by itself once nothing is left to do; what is left this much later would keep it alive for nothing. */
const lingerMs = 100;

/** Nobody presses Ctrl-C twice within so long; but a library, or a program in between, may pass a signal on once more. */
const echoMs = 100;

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Whether the run of this process was told to end. */
let wasCut = false;

export interface Ending {
  /** Aborted with a Failure that says why the run ends. */
  readonly signal: AbortSignal;
  /** Rejects with that Failure where the run goes on all the same: it waits for something that heeds no signal. */
  readonly overdue: Promise<never>;
  /** Ends the run after so many milliseconds. */
  endAfter(ms: number, failure: Failure): void;
  /** While another program is in the foreground, it is the one to decide when it ends: nothing is overdue. */
  yieldTo<Value>(program: Promise<Value>): Promise<Value>;
  /** The run is over: signals have their usual effect again. */
  stop(): void;
}

/** SIGINT, SIGTERM and SIGHUP end the run; a second one ends the process at once. */
export function listenForEnding(): Ending {
  const controller = new AbortController();
  const { promise: overdue, reject } = Promise.withResolvers<never>();
  // Where the run ends in time, nobody waits for it.
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
      // A question that was ended may have left a request behind: nobody waits for its answer any more.
      controller.abort(new Failure('interrupted', 'It is over.'));
    },
  };
}

/**
 * Lets the process end with this code once nothing is left to do. A name look-up that hangs, or a file that doesn't
 * open, keeps nobody waiting; nor does a reader of the output that doesn't read, where the run was told to end.
 */
export function endWith(exitCode: number): void {
  process.nextTick(() => {
    endIfDone(exitCode);
    // A connection that was just closed goes with the next turn.
    setImmediate(endIfDone, exitCode);
  });
  const look = () => {
    const isWriting = process.stdout.writableLength + process.stderr.writableLength > 0;
    if (isWriting && !wasCut) setTimeout(look, lingerMs).unref();
    else endNow(exitCode);
  };
  setTimeout(look, lingerMs).unref();
}

/** An open pipe or terminal keeps no process alive, as long as nothing is being read from it or written to it. */
const idle = new Set(['PipeWrap', 'TTYWrap']);

/** Where nothing is left, what the engine would still collect and take down goes with the process: a tenth of a start. */
function endIfDone(exitCode: number): void {
  if (process.getActiveResourcesInfo().every((name) => idle.has(name))) process.exit(exitCode);
}

const shell = '/bin/sh';

/**
 * `process.exit` waits for the threads of Node, of which a name look-up or the opening of a pipe can hold one for
 * minutes. A shell that takes the place of the process ends at once with the same code.
 */
function endNow(exitCode: number): never {
  process.exitCode = exitCode;
  process.emit('exit', exitCode);
  // Loaded here alone: every start would pay for it.
  const { isatty } = process.getBuiltinModule('node:tty');
  if (isatty(0) && process.stdin.isRaw) process.stdin.setRawMode(false);
  if (process.platform !== 'win32' && process.execve && existsSync(shell)) {
    process.execve(shell, ['sh', '-c', `exit ${exitCode}`], {});
  }
  process.exit(exitCode);
}
