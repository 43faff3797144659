/** Describes why a file can't be read or written. Each description ends a sentence, as in `can't be read: no such file`. */
import { maxFileMegabytes } from './bounded-read.ts';

const readReasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'part of its path is not a folder',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
  EIO: 'input/output error',
  ERR_FS_FILE_TOO_LARGE: `it has more than ${maxFileMegabytes} MB`,
  ERR_INVALID_ARG_VALUE: 'the name has an invalid character',
};

/** Returns why a file can't be read: the reason of a system error, or the message of any other error. */
export function describeReadError(error: unknown): string {
  return readErrorReason(error) ?? (error instanceof Error ? error.message : String(error));
}

/** Returns why a file can't be read; undefined if the error isn't a system error. */
export function readErrorReason(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return code === undefined ? undefined : (readReasons[code] ?? code);
}

const writeReasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOSPC: 'the disk is full',
  EDQUOT: 'disk quota exceeded',
  EFBIG: 'the file would be too large',
  EROFS: 'the disk is read-only',
  ENOENT: "the folder doesn't exist",
  ENOTDIR: 'part of its path is not a folder',
  EEXIST: 'a file with that name already exists',
  EISDIR: 'it is a folder',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
};

/** Returns why a file or folder can't be written; undefined if the reason is unknown. */
export function writeErrorReason(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? writeReasons[String(error.code)] : undefined;
}
