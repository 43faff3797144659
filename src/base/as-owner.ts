/**
 * Reads and writes a user's files with the privileges of that user under `sudo boh`. With root's privileges, a link in
 * the user's folder could lead to any file, and it could be created between a check of the path and its use.
 */
import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { usage } from './errors.ts';

/**
 * Runs a synchronous task as the user who controls the path to the folder: the owner of the first folder or link on the
 * path that doesn't belong to root. Only root can become another user; for other users, the task runs unchanged. Throws a
 * usage failure if the process can't become that user.
 */
export function runAsOwner<Result>(folder: string, task: () => Result): Result {
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
    throw usage(`${folder} belongs to another user, so boh doesn't use it.`, {
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
  const realFolder = nearestRealPath(folder);
  // Without a link in the path, both paths are the same.
  const paths = realFolder === folder ? [folder] : [folder, realFolder];
  for (const path of paths.flatMap(ancestorsOf)) {
    const stats = statsOf(path);
    if (stats !== undefined && stats.uid !== 0) return stats;
  }
  return { uid: 0, gid: 0 };
}

/** Returns the status of a path; undefined if it doesn't exist or can't be read. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** Returns the path and all folders above it, from the root of the file system. */
function ancestorsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...ancestorsOf(parent), path];
}

/** Returns the path of the nearest existing folder, with all links resolved. */
function nearestRealPath(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return nearestRealPath(dirname(folder));
  }
}
