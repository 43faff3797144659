/** A file that is the old one until the new one is whole: written beside it, and moved into its place. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure, usage } from '../base/errors.ts';
import { isRunning } from '../base/is-running.ts';

/**
 * Writes the texts, or the bytes, to `file` and answers the bytes that it then has. Where a text can't be had or written, what was
 * there before stays as it is. A link is followed; a folder, a device or a pipe is refused.
 */
export async function writeWhole(file: string, texts: AsyncIterable<string | Buffer>): Promise<number> {
  const { path, mode } = await placeFor(file);
  const folder = dirname(path);
  await sweep(folder, basename(path));
  const temporary = join(folder, `.${basename(path)}.${process.pid}-${randomBytes(4).toString('hex')}.part`);
  let handle: FileHandle | undefined;
  try {
    // As the umask says, unless it takes the place of a file that has other permissions.
    handle = await open(temporary, 'wx', 0o666);
    if (mode !== undefined) await handle.chmod(mode);
    const bytes = await fill(handle, texts);
    await handle.sync();
    await handle.close();
    handle = undefined;
    await rename(temporary, path);
    await syncFolder(folder);
    return bytes;
  } catch (error) {
    throw asFailure(file, error);
  } finally {
    await handle?.close().catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** In blocks: a page is too little for one. In characters. */
const blockLength = 262_144;

export async function fill(handle: FileHandle, texts: AsyncIterable<string | Buffer>): Promise<number> {
  let bytes = 0;
  let block = '';
  const flush = async () => {
    const chunk = Buffer.from(block);
    block = '';
    await handle.writeFile(chunk);
    bytes += chunk.length;
  };
  for await (const text of texts) {
    if (typeof text !== 'string') {
      await handle.writeFile(text);
      bytes += text.length;
      continue;
    }
    block += text;
    if (block.length >= blockLength) await flush();
  }
  if (block !== '') await flush();
  return bytes;
}

/** Throws where a file could not be written there: before a run, as what it does is done once it is over. */
export async function checkPlace(file: string): Promise<void> {
  const { path } = await placeFor(file);
  const draft = join(
    dirname(path),
    `.${basename(path)}.${process.pid}-${randomBytes(4).toString('hex')}.part`,
  );
  try {
    await (await open(draft, 'wx', 0o600)).close();
  } catch (error) {
    throw asFailure(file, error);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/** Where it stands once links are followed, and with which permissions where it is there. */
export async function placeFor(file: string): Promise<{ path: string; mode: number | undefined }> {
  let path = await behindLinks(resolve(file));
  try {
    path = await realpath(path);
    const found = await stat(path);
    if (found.isFile()) return { path, mode: found.mode & 0o777 };
    throw usage(
      `${file} is ${found.isDirectory() ? 'a folder' : 'no file'}: nothing is written in its place.`,
      {
        hint: found.isDirectory() ? 'Name a file in it.' : "Name a file, or one that isn't there yet.",
      },
    );
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { path, mode: undefined };
    throw asFailure(file, error);
  }
}

/** Where links lead, also where nothing is there yet: what stands there is to be the file, and the link is to stay one. */
async function behindLinks(path: string, most = 40): Promise<string> {
  const next = await readlink(path).catch(() => undefined);
  return next === undefined || most === 0 ? path : behindLinks(resolve(dirname(path), next), most - 1);
}

/** A process that was killed leaves its part behind. */
async function sweep(folder: string, name: string): Promise<void> {
  const parts = (await readdir(folder).catch(() => [])).filter(
    (entry) => entry.startsWith(`.${name}.`) && entry.endsWith('.part'),
  );
  for (const part of parts) {
    const pid = Number(/^(\d+)-[0-9a-f]{8}\.part$/.exec(part.slice(name.length + 2))?.[1]);
    if (pid && !isRunning(pid)) await rm(join(folder, part), { force: true }).catch(() => undefined);
  }
}

/** So that the new name outlasts a power cut; not every system can. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission',
  EPERM: 'you have no permission',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your share of the disk is full',
  EFBIG: 'it would become too large',
  EROFS: 'the disk is read-only',
  ENOENT: "its folder isn't there",
  ENOTDIR: 'a part of its path is a file, not a folder',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
};

export function asFailure(file: string, error: unknown): unknown {
  const code = codeOf(error);
  if (error instanceof Failure || code === undefined || !(error instanceof Error)) return error;
  return new Failure('unavailable', `${file} can't be written: ${reasons[code] ?? error.message}.`, {
    hint: 'What was there before is as it was.',
    cause: error,
  });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
