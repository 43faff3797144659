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
import { writeBriefly } from '../../src/terminal/descriptors.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-descriptors-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const text = `${'’'.repeat(3000)}\n`;

describe.skipIf(process.platform === 'win32')(
  'a short text written at once (Windows always takes a stream)',
  () => {
    test('is whole in a file', () => {
      const file = join(folder, 'file');
      const descriptor = openSync(file, 'w');
      expect(writeBriefly(descriptor, text)).toHaveLength(0);
      closeSync(descriptor);
      expect(readFileSync(file, 'utf8')).toBe(text);
    });

    test('comes once from a pipe that takes only a part of it, with what is left', () => {
      const pipe = nearlyFullPipe();
      const left = writeBriefly(pipe, text);
      expect(left.length).toBeGreaterThan(0);
      expect(left.length).toBeLessThan(Buffer.byteLength(text));
      const came = Buffer.concat([everythingIn(pipe).filter((byte) => byte !== 0), left]);
      expect(came.toString()).toBe(text);
      closeSync(pipe);
    });

    test('is left whole by a descriptor that is closed', () => {
      const descriptor = openSync(join(folder, 'file'), 'w');
      closeSync(descriptor);
      expect(Buffer.from(writeBriefly(descriptor, text)).toString()).toBe(text);
    });
  },
);

/** Opened at both ends, and not to wait: as a terminal’s program or a shell may hand it on. */
function nearlyFullPipe(): number {
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

function everythingIn(pipe: number): Buffer {
  const all = Buffer.alloc(1 << 20);
  let length = 0;
  try {
    for (;;) length += readSync(pipe, all, length, all.length - length, null);
  } catch {
    // Empty.
  }
  return all.subarray(0, length);
}
