/** Stops boh at Ctrl-Z as a shell expects, and draws the current view again after `fg`. */
import type { ReadStream } from 'node:tty';
import type { Streams } from './streams.ts';

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
