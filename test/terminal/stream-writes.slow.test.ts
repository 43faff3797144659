import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeSyncPrefix } from '../../src/cli/terminal/streams.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-descriptors-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const text = `${'’'.repeat(3000)}\n`;

describe.skipIf(process.platform === 'win32')('synchronous write (Windows always uses a stream)', () => {
  test('writes short text to a file completely', () => {
    const file = join(folder, 'file');
    const descriptor = openSync(file, 'w');
    expect(writeSyncPrefix(descriptor, text)).toHaveLength(0);
    closeSync(descriptor);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('returns the unwritten bytes when a pipe is nearly full', () => {
    const pipe = openNearlyFullPipe();
    const remaining = writeSyncPrefix(pipe, text);
    expect(remaining.length).toBeGreaterThan(0);
    expect(remaining.length).toBeLessThan(Buffer.byteLength(text));
    const received = Buffer.concat([readAvailable(pipe).filter((byte) => byte !== 0), remaining]);
    expect(received.toString()).toBe(text);
    closeSync(pipe);
  });

  test('returns all bytes when the descriptor is closed', () => {
    const descriptor = openSync(join(folder, 'file'), 'w');
    closeSync(descriptor);
    expect(Buffer.from(writeSyncPrefix(descriptor, text)).toString()).toBe(text);
  });
});

/** Returns the descriptor of a nonblocking pipe that has space for one page. */
function openNearlyFullPipe(): number {
  const file = join(folder, 'pipe');
  expect(spawnSync('mkfifo', [file]).status).toBe(0);
  const pipe = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
  const page = Buffer.alloc(4096);
  try {
    for (;;) writeSync(pipe, page);
  } catch {
    // Full.
  }
  readSync(pipe, page, 0, page.length, null);
  return pipe;
}

function readAvailable(pipe: number): Buffer {
  const buffer = Buffer.alloc(1 << 20);
  let length = 0;
  try {
    for (;;) length += readSync(pipe, buffer, length, buffer.length - length, null);
  } catch {
    // Empty.
  }
  return buffer.subarray(0, length);
}
