/** What stands behind a descriptor, and short texts written to it, without a stream: opening one takes a tenth of a start. */
import { fstatSync, type Stats, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';

/** A pipe takes as much at once, so that nobody waits for its reader. */
const briefLength = 4096 * 4;

/** Whether it is a terminal. Of files, pipes and `/dev/null` it is known without the terminal’s module, which is slow to load. */
export function isTerminal(descriptor: number): boolean {
  if (process.platform !== 'win32' && !mayBeTerminal(statsOf(descriptor))) return false;
  return process.getBuiltinModule('node:tty').isatty(descriptor);
}

function mayBeTerminal(stats: Stats | undefined): boolean {
  return stats?.isCharacterDevice() === true && stats.rdev !== statSync(devNull).rdev;
}

/** Writes a short text to a file or pipe at once, whole; answers false where nothing was written, and a stream has to. */
export function writeBriefly(descriptor: number, text: string): boolean {
  const bytes = Buffer.from(text);
  const stats = process.platform === 'win32' ? undefined : statsOf(descriptor);
  // A Node that starts another one gives it a socket for a pipe.
  if (bytes.length > briefLength || !(stats?.isFIFO() || stats?.isSocket())) return false;
  try {
    return writeSync(descriptor, bytes) === bytes.length;
  } catch {
    // Full, closed or refused: the stream says which.
    return false;
  }
}

function statsOf(descriptor: number): Stats | undefined {
  try {
    return fstatSync(descriptor);
  } catch {
    // Closed by whoever started the program.
    return undefined;
  }
}
