/** Handles keys without Enter, and what Ctrl-C and Ctrl-Z do meanwhile. */
import type { ReadStream } from 'node:tty';
import type { Streams } from './streams.ts';

const ctrlC = '\x03';
/** The key that suspends the process. */
export const ctrlZ = '\x1a';

/**
 * Calls `onKey` with each key until the returned function is called. Ctrl-C interrupts the process. Reads nothing if
 * standard input isn't a terminal.
 */
export function readKeys({ stdin, isTerminal }: Streams, onKey: (key: string) => void): () => void {
  if (!isTerminal.in || !(stdin as ReadStream).isTTY) return () => {};
  const input = stdin as ReadStream;
  const onData = (data: Buffer | string) => {
    for (const key of String(data)) {
      if (key === ctrlC) process.kill(process.pid, 'SIGINT');
      else onKey(key);
    }
  };
  input.setRawMode(true);
  input.on('data', onData);
  input.resume();
  return () => {
    input.off('data', onData);
    input.setRawMode(false);
    input.pause();
  };
}

/**
 * Handles SIGCONT until `release` is called. `suspend` is for Ctrl-Z, which is a key in raw mode: it calls `leave`, which
 * prepares the terminal for the shell, and stops boh. Afterwards `redraw` draws the view below the cursor.
 */
export function handleSuspension({ stdin, isTerminal }: Streams, leave: () => void, redraw: () => void) {
  if (process.platform === 'win32') return { suspend() {}, release() {} };
  const input = stdin as ReadStream;
  const handle = (signal: NodeJS.Signals) => {
    const { isRaw } = input;
    // The shell changes the mode while boh is stopped. Node sets a mode only if it differs from the last one it has set.
    if (isRaw) input.setRawMode(false);
    if (signal === 'SIGTSTP') {
      leave();
      release();
      // Stops the whole job, as the terminal does. Returns after SIGCONT, or at once if no shell could continue boh.
      process.kill(0, signal);
      listen();
    }
    if (isRaw) input.setRawMode(true);
    redraw();
    // Programs in the background aren't notified when the window is resized.
    process.emit('SIGWINCH', 'SIGWINCH');
  };
  const listen = () => {
    process.on('SIGCONT', handle);
    // Only if Ctrl-Z is no key: listening enables the signal even if the shell ignores it, as in a command substitution.
    if (!isTerminal.in) process.on('SIGTSTP', handle);
  };
  const release = () => process.off('SIGCONT', handle).off('SIGTSTP', handle);
  listen();
  return { suspend: () => handle('SIGTSTP'), release };
}

/** Keeps Ctrl-C from ending boh. Returns a function that undoes this. */
export function ignoreInterrupts(): () => void {
  const listeners = process.listeners('SIGINT');
  const ignore = () => {};
  process.removeAllListeners('SIGINT').on('SIGINT', ignore);
  return () => {
    process.off('SIGINT', ignore);
    for (const listener of listeners) process.on('SIGINT', listener);
  };
}
