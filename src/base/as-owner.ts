/**
 * `sudo boh` works on the files of whoever called it, and with their rights: what a user may not do, root doesn't do
 * for them. A link in their folder could lead anywhere, and be put there between any look at it and its use.
 */
import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { usage } from './errors.ts';

/**
 * Runs the task, which may not wait for anything, as whoever holds the way to the folder in their hands: the owner of
 * the first folder or link on it that isn't root's. Only root can be somebody else. Throws a usage failure where it
 * can't be that one.
 */
export function asOwnerOf<Result>(folder: string, task: () => Result): Result {
  const { geteuid, seteuid, setegid, getegid } = process;
  if (geteuid?.() !== 0 || !seteuid || !setegid || !getegid) return task();
  const { uid, gid } = ownerOf(folder);
  if (uid === 0) return task();
  const ownGroup = getegid();
  try {
    setegid(gid);
    seteuid(uid);
  } catch (cause) {
    setegid(ownGroup);
    throw usage(`${folder} belongs to another user, so boh does not use it.`, {
      hint: 'Set BOH_CONFIG_DIR to a folder of your own.',
      cause,
    });
  }
  try {
    return task();
  } finally {
    seteuid(0);
    setegid(ownGroup);
  }
}

function ownerOf(folder: string): { uid: number; gid: number } {
  const real = realOf(folder);
  // Without a link on it both ways are one.
  const ways = real === folder ? [folder] : [folder, real];
  for (const part of ways.flatMap(partsOf)) {
    const stats = statsOf(part);
    if (stats !== undefined && stats.uid !== 0) return stats;
  }
  return { uid: 0, gid: 0 };
}

/** Undefined where it isn’t there, and below what is no folder. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** From the root of the file system on. */
function partsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...partsOf(parent), path];
}

/** Of the nearest folder that is there, without links. */
function realOf(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return realOf(dirname(folder));
  }
}
