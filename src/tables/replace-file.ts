/** Replaces a file atomically: writes a temporary file next to it and renames that. */
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open, readdir, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure, usage } from '../base/errors.ts';
import { isProcessRunning } from '../base/is-running.ts';

/**
 * Writes chunks to `file` and returns the size in bytes. If that fails, the previous file is unchanged. Links are
 * followed, and the permissions of an existing file are kept; folders, devices and pipes are refused.
 */
export async function replaceFile(
  file: string,
  chunks: string | AsyncIterable<string | Buffer>,
  { newFileMode = 0o666 }: { newFileMode?: number } = {},
): Promise<number> {
  const { path, existing } = await resolveFile(file);
  const folder = dirname(path);
  await removeStaleFiles(folder, basename(path));
  const temporary = join(folder, `.${basename(path)}.${process.pid}-${randomBytes(4).toString('hex')}.part`);
  let handle: FileHandle | undefined;
  try {
    // The umask applies, unless the replaced file has other permissions.
    handle = await open(temporary, 'wx', existing ? 0o600 : newFileMode);
    if (existing) await copyPermissions(existing, handle);
    const bytes = await writeChunks(handle, typeof chunks === 'string' ? [chunks] : chunks);
    await handle.sync();
    await handle.close();
    handle = undefined;
    await rename(temporary, path);
    await syncFolder(folder);
    return bytes;
  } catch (error) {
    throw writeFailure(file, error);
  } finally {
    await handle?.close().catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** Gives the new file the owner, group and mode of the old one. Only root can keep another owner. */
async function copyPermissions({ uid, gid, mode }: Stats, file: FileHandle): Promise<void> {
  await file.chown(uid, -1).catch(() => undefined);
  const keepsGroup = await file.chown(-1, gid).then(
    () => true,
    () => false,
  );
  // Another group must not get the permissions of the old one.
  await file.chmod(mode & (keepsGroup ? 0o777 : 0o707));
}

/** The number of characters that are collected before they are written. */
const blockCharacters = 262_144;

/** Writes chunks to a file in blocks. Returns the number of bytes. */
export async function writeChunks(
  handle: FileHandle,
  chunks: AsyncIterable<string | Buffer> | string[],
): Promise<number> {
  let bytes = 0;
  let block = '';
  const flush = async () => {
    const chunk = Buffer.from(block);
    block = '';
    await handle.writeFile(chunk);
    bytes += chunk.length;
  };
  for await (const text of chunks) {
    if (typeof text !== 'string') {
      await handle.writeFile(text);
      bytes += text.length;
      continue;
    }
    block += text;
    if (block.length >= blockCharacters) await flush();
  }
  if (block !== '') await flush();
  return bytes;
}

/** Throws if the file can't be written. Call it before a run whose result is written to the file. */
export async function checkWritable(file: string): Promise<void> {
  const { path } = await resolveFile(file);
  const temporary = join(
    dirname(path),
    `.${basename(path)}.${process.pid}-${randomBytes(4).toString('hex')}.part`,
  );
  try {
    await (await open(temporary, 'wx', 0o600)).close();
  } catch (error) {
    throw writeFailure(file, error);
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** Follows links. Returns the path, and the existing file. Refuses folders, devices and pipes. */
async function resolveFile(file: string): Promise<{ path: string; existing?: Stats }> {
  let path = await resolveLinks(resolve(file));
  try {
    path = await realpath(path);
    const stats = await stat(path);
    if (stats.isFile()) return { path, existing: stats };
    throw usage(
      `${file} is ${stats.isDirectory() ? 'a folder' : 'a device or a pipe'}, not a regular file.`,
      {
        hint: stats.isDirectory() ? 'Use the path of a file in it.' : 'Use a regular file, or a new one.',
      },
    );
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { path };
    throw writeFailure(file, error);
  }
}

/** Follows links, also to a file that doesn't exist yet, so that the link itself isn't replaced. */
async function resolveLinks(path: string, maxLinks = 40): Promise<string> {
  const target = await readlink(path).catch(() => undefined);
  return target === undefined || maxLinks === 0
    ? path
    : resolveLinks(resolve(dirname(path), target), maxLinks - 1);
}

/** Deletes temporary files that killed processes have left. */
async function removeStaleFiles(folder: string, name: string): Promise<void> {
  const temporaryNames = (await readdir(folder).catch(() => [])).filter(
    (entry) => entry.startsWith(`.${name}.`) && entry.endsWith('.part'),
  );
  for (const temporaryName of temporaryNames) {
    const pid = Number(/^(\d+)-[0-9a-f]{8}\.part$/.exec(temporaryName.slice(name.length + 2))?.[1]);
    if (pid && !isProcessRunning(pid))
      await rm(join(folder, temporaryName), { force: true }).catch(() => undefined);
  }
}

/** Syncs a folder, so that a rename survives a power failure. Ignores systems that don't support it. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

const errorReasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOSPC: 'the disk is full',
  EDQUOT: 'disk quota exceeded',
  EFBIG: 'the file would be too large',
  EROFS: 'the disk is read-only',
  ENOENT: "the folder doesn't exist",
  ENOTDIR: 'part of its path is not a folder',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
};

/** Returns the failure for a system error. Returns other errors unchanged. */
export function writeFailure(file: string, error: unknown): unknown {
  const code = codeOf(error);
  if (error instanceof Failure || code === undefined || !(error instanceof Error)) return error;
  return new Failure('unavailable', `Can't write ${file}: ${errorReasons[code] ?? error.message}.`, {
    hint: 'The previous file is unchanged.',
    cause: error,
  });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
