/** A file that somebody named, looked at before it is read: whether it ends, whether it can be read again, whether it stayed. */
import { closeSync, openSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isatty } from 'node:tty';
import { usage } from '../base/errors.ts';
import { whyUnreadable } from '../base/unreadable.ts';

export interface NamedFile {
  path: string;
  /** Begins sentences: "The file prices.csv". */
  called: string;
  /** As it was found. */
  found: Stats;
  /** A pipe, such as that of a process substitution, or a terminal. */
  isReadOnce: boolean;
}

/** Throws a usage failure for what is not there, for folders, and for devices of which nobody knows where they end. */
export async function lookAt(path: string, called: string): Promise<NamedFile> {
  const found = await stat(path).catch((cause: unknown) => {
    throw unreadable(called, cause);
  });
  const isReadOnce = found.isFIFO() || isTerminal(path, called, found);
  if (!isReadOnce && !found.isFile())
    throw usage(`${called} can't be read: it is ${found.isDirectory() ? 'a folder' : 'no file'}.`);
  return { path, called, found, isReadOnce };
}

/** Throws a usage failure where it is another file by now than it was at first, as one that somebody is writing. */
export async function refuseChangedFile({ path, called, found }: NamedFile): Promise<void> {
  const now = await stat(path).catch(() => undefined);
  if (now?.ino === found.ino && now.size === found.size && now.mtimeMs === found.mtimeMs) return;
  throw usage(`${called} has changed while it was read; nothing was sent.`, {
    hint: 'Run the command again once it is whole.',
  });
}

/** The error itself where it is not the system's. */
export function unreadable(called: string, cause: unknown): unknown {
  const why = whyUnreadable(cause);
  return why === undefined ? cause : usage(`${called} can't be read: ${why}.`, { cause });
}

function isTerminal(path: string, called: string, found: Stats): boolean {
  if (!found.isCharacterDevice()) return false;
  let opened: number | undefined;
  try {
    opened = openSync(path, 'r');
    return isatty(opened);
  } catch (cause) {
    throw unreadable(called, cause);
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}
