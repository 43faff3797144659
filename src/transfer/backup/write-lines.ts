/** Writes the files of a backup, and defines their names. */

import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFileSuffix } from '../../storage/file-lock.ts';
import { syncFolder, writeChunks, writeFailure } from '../../tables/replace-file.ts';
import { isRecordsFile, manifestName } from './manifest.ts';

/** A file that was written. */
export interface WrittenFile {
  file: string;
  bytes: number;
  /** In hexadecimal. */
  sha256: string;
}

/** The suffix of incomplete files, which remain if a process is killed. */
const partSuffix = '.part';

/** Writes a file atomically and syncs it to disk. `nameFor` returns the name of the file for the hash of its content. */
export async function writeLines(
  folder: string,
  nameFor: (sha256: string) => string,
  chunks: AsyncIterable<string>,
): Promise<WrittenFile> {
  const temporaryFile = join(folder, `.${process.pid}-${randomBytes(4).toString('hex')}${partSuffix}`);
  const hash = createHash('sha256');
  async function* hashChunks() {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  }
  let handle: FileHandle | undefined;
  try {
    handle = await open(temporaryFile, 'wx', 0o600);
    const bytes = await writeChunks(handle, hashChunks());
    await handle.sync();
    await handle.close();
    handle = undefined;
    const sha256 = hash.digest('hex');
    const file = nameFor(sha256);
    await rename(temporaryFile, join(folder, file));
    await syncFolder(folder);
    return { file, bytes, sha256 };
  } catch (error) {
    throw writeFailure(folder, error);
  } finally {
    await handle?.close().catch(() => undefined);
    await rm(temporaryFile, { force: true }).catch(() => undefined);
  }
}

/** The name of the lock of the folder. */
export const lockName = manifestName + lockFileSuffix;

/** Returns whether a file name belongs to a backup. */
export function isBackupFile(name: string): boolean {
  const isPart = name.startsWith('.') && name.endsWith(partSuffix);
  return name === manifestName || name.startsWith(lockName) || isPart || isRecordsFile(name);
}
