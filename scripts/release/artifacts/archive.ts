/** Archives that depend on nothing but their content: names in order, one time, no owner, fixed modes. */
import { chmodSync, lstatSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { run } from './run.ts';

/** The place of the operating system in the header of gzip, and the number for "unknown". */
const gzipSystemOffset = 9;
const unknownSystem = 255;

/** The level of compression that Debian asks for. For a whole executable it takes twice the time for a hundredth of the size. */
export const highest = 9;

/** Compresses bytes; the result doesn't name the time or the system. */
export function gzip(bytes: Buffer | string, level?: number): Buffer {
  const compressed = gzipSync(bytes, { level });
  compressed[gzipSystemOffset] = unknownSystem;
  return compressed;
}

/** GNU tar: that of macOS can't sort. */
const gnuTar = process.platform === 'darwin' ? 'gtar' : 'tar';

/** Writes a tar file of all that is in a folder. Modes are those that `normalize` sets. */
export function tar(folder: string, file: string, epoch: number, more: readonly string[] = []): void {
  const order = ['--sort=name', '--format=ustar', `--mtime=@${epoch}`, '--numeric-owner'];
  const owner = more.some((word) => word.startsWith('--owner')) ? [] : ['--owner=0', '--group=0'];
  run(gnuTar, [...order, ...owner, ...more, '-cf', file, '-C', folder, ...readdirSync(folder).sort()]);
}

/** Writes a compressed tar file. */
export function tarGz(folder: string, file: string, epoch: number): void {
  const plain = `${file}.tar`;
  tar(folder, plain, epoch);
  writeFileSync(file, gzip(readFileSync(plain)));
  rmSync(plain);
}

/** Writes a zip file, with times in UTC. */
export function zip(folder: string, file: string, epoch: number): void {
  normalize(folder, epoch);
  const env = { ...process.env, TZ: 'UTC', LC_ALL: 'C' };
  run('zip', ['-X', '-D', '-q', '-r', file, ...readdirSync(folder).sort()], { cwd: folder, env });
}

/** Sets modes and times of all that is in a folder: 755 for folders and programs, 644 for other files. */
export function normalize(folder: string, epoch: number): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const status = lstatSync(path);
    if (status.isSymbolicLink()) continue;
    if (status.isDirectory()) normalize(path, epoch);
    // A folder that keeps its own mode, such as /tmp, has it after this.
    const isProgram = status.isDirectory() || (status.mode & 0o100) !== 0;
    chmodSync(path, isProgram ? 0o755 : 0o644);
    utimesSync(path, epoch, epoch);
  }
}
