/** Checks and writes file descriptors without a stream, because opening a stream takes a tenth of the start-up time. */
import { fstatSync, type Stats, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';

/** Bytes that a pipe accepts without waiting for its reader. Pipes of Linux take more than others. */
const maxSyncBytes = process.platform === 'linux' ? 65_536 : 16_384;

/** Returns whether a descriptor is a terminal. For files, pipes and `/dev/null` this doesn't load `node:tty`, which is slow. */
export function isTerminal(descriptor: number): boolean {
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
