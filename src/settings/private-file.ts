/**
 * Reads files that only their user may read. Permissions are checked at each read, and fixed if others could read the
 * file.
 */
import { isUtf8 } from 'node:buffer';
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Failure, usage } from '../base/errors.ts';
import { writeErrorReason } from '../base/file-errors.ts';
import { makeFolder } from '../base/make-folder.ts';

/** A file that only its user may read. */
export interface PrivateFile {
  text: string;
  /** Notes for the user about permissions that were fixed, or could not be. */
  notes: string[];
}

const otherUsersMask = 0o077;

/** Reads the file; undefined if it doesn't exist. */
export function readPrivateFile(path: string): PrivateFile | undefined {
  const file = openForReading(path);
  if (file === undefined) return undefined;
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw usage(`${path} is not a file.`);
    const notes = [...fixFilePermissions(path, file, stats), ...fixFolderPermissions(dirname(path))];
    return { text: decode(readFileSync(file), path), notes };
  } catch (error) {
    throw toFailure(`Can't read ${path}`, error);
  } finally {
    closeSync(file);
  }
}

/** Creates the folder, or fixes its permissions. Returns notes for the user. */
export function ensurePrivateFolder(path: string): string[] {
  try {
    makeFolder(path, { mode: 0o700 });
    accessSync(path, constants.W_OK);
    return fixFolderPermissions(path);
  } catch (error) {
    throw toFailure(`Can't use the folder ${path}`, error);
  }
}

/** Throws for another encoding, whose bytes would be replaced by U+FFFD. The first character of JSON is ASCII, so UTF-16 has a NUL. */
function decode(bytes: Buffer, path: string): string {
  const text = bytes.toString();
  if (isUtf8(bytes) && !/^(\{\0|\0\{)/.test(text)) return text;
  throw usage(`${path} is not UTF-8: it was saved in another encoding, such as UTF-16, or is damaged.`, {
    hint: 'Save it as UTF-8, or rename it and sign in again.',
  });
}

/** Returns a failure with a message for a system error, and any other error unchanged. */
export function toFailure(action: string, error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error) || !('code' in error)) return error;
  const reason = writeErrorReason(error) ?? error.message;
  return new Failure('unavailable', `${action}: ${reason}.`, { cause: error });
}

/** Opens the file without waiting: a pipe at its path must not block every command. */
function openForReading(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // The home directory may be a file, such as /dev/null: it then has no configuration. The configuration folder
    // itself must not be a file.
    const isBelowFile = code === 'ENOTDIR' && !statSync(dirname(path), { throwIfNoEntry: false });
    if (code === 'ENOENT' || isBelowFile) return undefined;
    throw withHint(toFailure(`Can't read ${path}`, error));
  }
}

function withHint(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  return new Failure(error.category, error.message, { ...error.details, hint: ownFolderHint });
}

const ownFolderHint = 'Set BOH_CONFIG_DIR to a folder of your own.';

function fixFilePermissions(path: string, file: number, stats: Stats): string[] {
  if (process.platform === 'win32' || (stats.mode & otherUsersMask) === 0) return [];
  try {
    fchmodSync(file, 0o600);
    return [
      `${path} was readable by other users. Its permissions were fixed. If others use this machine, replace your token.`,
    ];
  } catch {
    return [`Other users can read ${path}, and boh can't change its permissions: run chmod 600.`];
  }
}

/** The names of boh's own entries in its folder. The permissions of a folder with other content aren't changed. */
const ownEntries = /^(config|cache|sandbox|runs|history)/;

function fixFolderPermissions(path: string): string[] {
  const folder = openFolder(path);
  try {
    const { mode } = fstatSync(folder);
    if (process.platform === 'win32' || (mode & otherUsersMask) === 0) return [];
    if (!readdirSync(path).every((entry) => ownEntries.test(entry))) {
      return [
        `Other users can open ${path}, which also contains files of other programs. Set BOH_CONFIG_DIR to a folder for boh only.`,
      ];
    }
    fchmodSync(folder, 0o700);
    return [`${path} was accessible to other users. Its permissions were fixed.`];
  } catch {
    return [`Other users can open ${path}, and boh can't change its permissions: run chmod 700.`];
  } finally {
    closeSync(folder);
  }
}

/** Opens the folder, so that the same folder is checked and changed. */
function openFolder(path: string): number {
  const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;
  return openSync(realpathSync(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}
