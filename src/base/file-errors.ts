/** Describes why a file can't be read or written, as the end of a sentence. */

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'you have no permission to read it',
  EPERM: 'you have no permission to read it',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file, not a folder',
  ELOOP: 'its links form a loop',
  ENAMETOOLONG: 'its name is too long',
  EIO: 'the disk or the device reports an error',
  ERR_FS_FILE_TOO_LARGE: 'it is too large',
  ERR_INVALID_ARG_VALUE: 'its name contains a character that is not allowed',
};

/** Returns why a file can't be read: the reason of a system error, or the message of any other error. */
export function readErrorText(error: unknown): string {
  return readErrorReason(error) ?? (error instanceof Error ? error.message : String(error));
}

/** Returns why a file can't be read; undefined if the error isn't a system error. */
export function readErrorReason(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return code === undefined ? undefined : (reasons[code] ?? code);
}

const refusals: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission',
  EPERM: 'you have no permission',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EROFS: 'the disk is read-only',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EEXIST: 'a file with that name exists',
  EISDIR: 'it is a folder',
  ELOOP: 'its links form a loop',
};

/** Returns why boh can't write to one of its own files or folders; undefined if the reason is unknown. */
export function writeErrorReason(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? refusals[String(error.code)] : undefined;
}
