/** Replaces files atomically: another process reads either the old or the new content. */
import { randomBytes } from 'node:crypto';
import {
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure, usage } from './errors.ts';
import { writeErrorReason } from './file-errors.ts';
import { isProcessRunning } from './is-running.ts';

type Chunk = string | Buffer;

interface Replacement {
  /** The file that is replaced: the end of all links. */
  target: string;
  existing: Stats | undefined;
  /** The file in the same folder that becomes the target. */
  temporary: string;
}

/**
 * Replaces `file` with text, bytes or chunks of both, and returns the size in bytes. Follows links, and keeps the mode of
 * an existing file. Throws `usage` for folders, devices and pipes, and `unavailable` if the file can't be written; the
 * previous file is then unchanged.
 */
export function replaceFile(
  file: string,
  content: Chunk | AsyncIterable<Chunk>,
  { newFileMode = 0o666 }: { newFileMode?: number } = {},
): Promise<number> {
  return withTemporary(file, async ({ target, existing, temporary }) => {
    const bytes = await writeSynced(temporary, content, { newFileMode, previous: existing });
    await rename(temporary, target);
    await syncFolder(dirname(target));
    return bytes;
  });
}

/** Replaces a small private file that a power failure may lose, such as a cache. Throws system errors. */
export function replaceFileSync(file: string, text: string): void {
  const { target, temporary } = prepare(file, resolve(file));
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Throws if the file can't be written. Call it before a run whose result is written to the file. */
export function checkWritable(file: string): Promise<void> {
  return withTemporary(file, async ({ temporary }) => (await open(temporary, 'wx', 0o600)).close());
}

export function writeFailure(file: string, error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error && 'code' in error)) return error;
  return new Failure('unavailable', `Can't write ${file}: ${writeErrorReason(error) ?? error.message}.`, {
    hint: 'The previous file is unchanged.',
    cause: error,
  });
}

async function withTemporary<T>(file: string, work: (replacement: Replacement) => Promise<T>): Promise<T> {
  const path = resolve(file);
  let temporary: string | undefined;
  try {
    const replacement = prepare(file, path);
    temporary = replacement.temporary;
    return await work(replacement);
  } catch (error) {
    throw writeFailure(file, error);
  } finally {
    if (temporary !== undefined) await rm(temporary, { force: true }).catch(() => undefined);
  }
}

function prepare(file: string, path: string): Replacement {
  const existing = statSync(path, { throwIfNoEntry: false });
  if (existing && !existing.isFile()) {
    const [kind, hint] = existing.isDirectory()
      ? ['a folder', 'Use the path of a file in it.']
      : ['a device or a pipe', 'Use a regular file, or a new one.'];
    throw usage(`${file} is ${kind}, not a regular file.`, { hint });
  }
  const target = followLinks(path);
  return { target, existing, temporary: temporaryPath(target) };
}

/** Returns a path for a temporary file beside a file, and deletes those that killed processes have left for it. */
export function temporaryPath(file: string): string {
  const [folder, prefix] = [dirname(file), `.${basename(file)}.`];
  try {
    for (const name of readdirSync(folder).filter((entry) => entry.startsWith(prefix))) {
      // SQLite adds the names of its own files.
      const pid = /^(\d+)-\w{8}\.part(-\w+)?$/.exec(name.slice(prefix.length))?.[1];
      if (pid && !isProcessRunning(Number(pid))) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // The folder can't be read, or the files belong to another user.
  }
  return join(folder, `${prefix}${process.pid}-${randomBytes(4).toString('hex')}.part`);
}

/** Follows links, also to a file that doesn't exist yet, so that the link itself isn't replaced. */
function followLinks(path: string, maxLinks = 40): string {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  if (!isLink || maxLinks === 0) return path;
  return followLinks(resolve(realpathSync(dirname(path)), readlinkSync(path)), maxLinks - 1);
}

/** The number of characters that are collected before they are written. */
const blockCharacters = 262_144;

/** Writes a new file to the disk. `previous` is the file that it replaces. */
async function writeSynced(
  path: string,
  content: Chunk | AsyncIterable<Chunk>,
  { newFileMode, previous }: { newFileMode: number; previous: Stats | undefined },
): Promise<number> {
  // The umask applies to a new file only.
  const handle = await open(path, 'wx', previous ? 0o600 : newFileMode);
  try {
    // Another group must not get the permissions of the previous one.
    const isSameGroup = previous?.gid === (await handle.stat()).gid;
    if (previous) await handle.chmod(previous.mode & (isSameGroup ? 0o777 : 0o707));
    let text = '';
    const flush = async () => {
      await handle.writeFile(text);
      text = '';
    };
    for await (const chunk of typeof content === 'string' || Buffer.isBuffer(content) ? [content] : content) {
      if (typeof chunk === 'string') text += chunk;
      if (typeof chunk !== 'string' || text.length >= blockCharacters) await flush();
      if (typeof chunk !== 'string') await handle.writeFile(chunk);
    }
    await flush();
    await handle.sync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

/** Syncs a folder, so that a rename survives a power failure. Ignores systems that don't support it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
