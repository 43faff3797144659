/** Provides a small disk that can be full: a tmpfs of a few KB, which root can mount where the machine allows it. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface SmallDisk {
  path: string;
  /** Fills the disk up to this number of free KB. Deletes the previous filling. */
  fill(freeKilobytes?: number): void;
  /** Deletes the filling. */
  empty(): void;
  /** Remounts the disk read-only. */
  makeReadOnly(): void;
}

/** The reason for skipping a test that needs a small disk. */
export const needsRoot = 'a small disk can only be mounted by root, where the machine allows it';

/** Mounts a disk and unmounts it at the end of the test. Returns undefined if it cannot be mounted. */
export function mountSmallDisk(kilobytes: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'boh-disk-'));
  try {
    const options = ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', path];
    execFileSync('mount', options, { stdio: 'ignore' });
  } catch {
    rmdirSync(path);
    return undefined;
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', path]);
    rmdirSync(path);
  });
  const ballast = join(path, 'ballast');
  return {
    path,
    empty: () => writeZeros(ballast, 0),
    makeReadOnly: () => execFileSync('mount', ['-o', 'remount,ro', path], { stdio: 'ignore' }),
    fill: (freeKilobytes = 0) => {
      const size = writeZeros(ballast, kilobytes * 1024);
      truncateSync(ballast, Math.max(0, size - freeKilobytes * 1024));
    },
  };
}

/** Writes zeros up to a number of bytes, and returns the number of written bytes. */
function writeZeros(path: string, bytes: number): number {
  const file = openSync(path, 'w');
  const block = Buffer.alloc(4096);
  let size = 0;
  try {
    while (size < bytes) size += writeSync(file, block);
  } catch {
    // The disk is full, as intended.
  } finally {
    closeSync(file);
  }
  return size;
}
