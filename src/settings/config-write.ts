/**
 * Puts a new configuration in the place of the old one, whole or not at all.
 *
 * conf writes a new file beside the old one; only when every byte of it is on the disk does it take the old
 * one's name. conf alone would do for a crash, but not for a disk that fills up in the middle of the file:
 * what it then puts in the place of the old file is cut off, without an error.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Conf from 'conf';
import { asOwnerOf } from '../base/as-owner.ts';
import { asFailure } from './private-file.ts';

/**
 * Replaces the text `before` (undefined: no file) by `text`, and gives false where another process was faster:
 * when a lock's owner has died, two that wait may both believe to hold it.
 * Throws `unavailable`, with the old file as it was. A link is kept: the file that it leads to is replaced.
 */
export function replaceConfigFile(path: string, before: string | undefined, text: string): boolean {
  return asOwnerOf(dirname(path), () => replaceOwnFile(path, before, text));
}

function replaceOwnFile(path: string, before: string | undefined, text: string): boolean {
  const target = realpathOf(path);
  const folder = dirname(target);
  removeLeftovers(folder, basename(target));
  const name = `${basename(target)}.next-${process.pid}-${randomBytes(4).toString('hex')}`;
  const next = join(folder, name);
  try {
    const conf = new Conf({
      cwd: folder,
      configName: name,
      fileExtension: '',
      configFileMode: 0o600,
      serialize: () => text,
    });
    conf.store = JSON.parse(text);
    if (readFileSync(next, 'utf8') !== text) throw Object.assign(new Error('cut off'), { code: 'ENOSPC' });
    keepOwner(target, next);
    if (textOf(target) !== before) return false;
    renameSync(next, target);
    syncFolder(folder);
    return true;
  } catch (error) {
    throw asFailure(`${path} can’t be written, and is as it was`, error);
  } finally {
    rmSync(next, { force: true });
  }
}

function textOf(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false }) && readFileSync(path, 'utf8');
}

function realpathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const minute = 60_000;

/** A killed process leaves its new file behind, and there is a token in it. */
function removeLeftovers(folder: string, name: string): void {
  for (const entry of readdirSync(folder)) {
    if (!entry.startsWith(`${name}.next-`)) continue;
    const left = join(folder, entry);
    const stats = statSync(left, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > minute) rmSync(left, { force: true });
  }
}

/** Where root's own link leads to a file of somebody else, that stays theirs. No link is followed any further. */
function keepOwner(target: string, next: string): void {
  const stats = statSync(target, { throwIfNoEntry: false });
  if (process.geteuid?.() !== 0 || stats === undefined || stats.uid === 0) return;
  const file = openSync(next, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { nlink } = fstatSync(file);
    if (nlink === 1) fchownSync(file, stats.uid, stats.gid);
  } finally {
    closeSync(file);
  }
}

/** The new name is safe against a power cut only when the folder is on the disk too; Windows has no such thing. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
