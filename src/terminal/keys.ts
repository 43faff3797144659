/** Reads single keys, without Enter and without echo. */
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
