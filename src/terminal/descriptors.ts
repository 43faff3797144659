/** What stands behind a descriptor, and short texts written to it, without a stream: opening one takes a tenth of a start. */
import { fstatSync, type Stats, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';

/** In bytes. A pipe takes as much at once, so that nobody waits for its reader; those of Linux take more than others. */
const briefLength = process.platform === 'linux' ? 65_536 : 16_384;

/** Whether it is a terminal. Of files, pipes and `/dev/null` it is known without the terminal’s module, which is slow to load. */
export function isTerminal(descriptor: number): boolean {
  if (process.platform !== 'win32' && !mayBeTerminal(statsOf(descriptor))) return false;
  return process.getBuiltinModule('node:tty').isatty(descriptor);
}

function mayBeTerminal(stats: Stats | undefined): boolean {
  return stats?.isCharacterDevice() === true && stats.rdev !== statSync(devNull).rdev;
}

/** Writes what a file or pipe takes at once of a short text; answers the bytes that are left, which a stream has to write. */
export function writeBriefly(descriptor: number, text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const stats = process.platform === 'win32' ? undefined : statsOf(descriptor);
  // A Node that starts another one gives it a socket for a pipe.
  const isAtOnce = stats?.isFIFO() || stats?.isSocket() || stats?.isFile();
  if (bytes.length > briefLength || !isAtOnce) return bytes;
  try {
    // A pipe that doesn’t wait for its reader takes a part, where it is nearly full.
    return bytes.subarray(writeSync(descriptor, bytes));
  } catch {
    // Full, closed or refused: the stream says which.
    return bytes;
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
