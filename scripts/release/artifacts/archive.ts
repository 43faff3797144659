/** Writes reproducible archives: with sorted names, one timestamp, no owner, and fixed modes. */
import { chmodSync, lstatSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { run } from './run.ts';

/** The offset of the operating system in the header of gzip, and the number for "unknown". */
const gzipSystemOffset = 9;
const unknownSystem = 255;

/** The compression level that Debian requires. For an executable, it takes twice the time and saves one percent. */
export const maxCompressionLevel = 9;

/** Compresses bytes, without the time and the operating system in the header. */
export function gzip(bytes: Buffer | string, level?: number): Buffer {
  const compressed = gzipSync(bytes, { level });
  compressed[gzipSystemOffset] = unknownSystem;
  return compressed;
}

/** GNU tar, because the tar of macOS can't sort names. */
const gnuTar = process.platform === 'darwin' ? 'gtar' : 'tar';

/** Writes a tar file with the content of a folder. Call `normalize` first, which sets the modes. */
export function tar(folder: string, file: string, epoch: number, moreArgs: readonly string[] = []): void {
  const order = ['--sort=name', '--format=ustar', `--mtime=@${epoch}`, '--numeric-owner'];
  const owner = moreArgs.some((arg) => arg.startsWith('--owner')) ? [] : ['--owner=0', '--group=0'];
  run(gnuTar, [...order, ...owner, ...moreArgs, '-cf', file, '-C', folder, ...readdirSync(folder).sort()]);
}

/** Writes a compressed tar file. */
export function tarGz(folder: string, file: string, epoch: number): void {
  const uncompressed = `${file}.tar`;
  tar(folder, uncompressed, epoch);
  writeFileSync(file, gzip(readFileSync(uncompressed)));
  rmSync(uncompressed);
}

/** Writes a zip file, with times in UTC. */
export function zip(folder: string, file: string, epoch: number): void {
  normalize(folder, epoch);
  const env = { ...process.env, TZ: 'UTC', LC_ALL: 'C' };
  run('zip', ['-X', '-D', '-q', '-r', file, ...readdirSync(folder).sort()], { cwd: folder, env });
}

/** Sets the modes and times of everything in a folder: 755 for folders and programs, 644 for other files. */
export function normalize(folder: string, epoch: number): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const status = lstatSync(path);
    if (status.isSymbolicLink()) continue;
    if (status.isDirectory()) normalize(path, epoch);
    // Folders with another mode, such as /tmp, get it later, from arguments of tar.
    const isExecutable = status.isDirectory() || (status.mode & 0o100) !== 0;
    chmodSync(path, isExecutable ? 0o755 : 0o644);
    utimesSync(path, epoch, epoch);
  }
}
