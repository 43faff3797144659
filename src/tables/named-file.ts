/** Checks a file before it is read: its kind, whether it can be read twice, and whether it changes meanwhile. */
import { closeSync, openSync, type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isatty } from 'node:tty';
import { usage } from '../base/errors.ts';
import { readErrorReason } from '../base/file-errors.ts';

/** A file from the command line. */
export interface NamedFile {
  path: string;
  /** The name of the file in messages: "The file prices.csv". */
  label: string;
  /** Its state when it was checked. */
  found: Stats;
  /** Whether it can be read only once: a pipe, such as of a process substitution, or a terminal. */
  isReadOnce: boolean;
}

/** Checks a file. Throws a usage failure for a missing file, a folder, or a device that may never end. */
export async function lookAt(path: string, label: string): Promise<NamedFile> {
  const found = await stat(path).catch((cause: unknown) => {
    throw unreadable(label, cause);
  });
  const isReadOnce = found.isFIFO() || isTerminal(path, label, found);
  if (!isReadOnce && !found.isFile())
    throw usage(
      `Can't read ${nameInSentence(label)}: it is ${found.isDirectory() ? 'a folder' : 'not a file'}.`,
    );
  return { path, label, found, isReadOnce };
}

/** Throws a usage failure for an entry of a folder that exists and isn't a regular file, such as a pipe: reading it may never end. */
export function refuseSpecialFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== false) return;
  throw usage(`Can't read ${path}: it is not a regular file.`, {
    hint: 'Move it out of the folder. Nothing was sent.',
  });
}

/** Throws a usage failure if the file has changed since it was checked. */
export async function refuseChangedFile({ path, label, found }: NamedFile): Promise<void> {
  const now = await stat(path).catch(() => undefined);
  if (now?.ino === found.ino && now.size === found.size && now.mtimeMs === found.mtimeMs) return;
  throw usage(`${label} changed while it was read; nothing was sent.`, {
    hint: 'Run the command again when the file is complete.',
  });
}

/** Returns the name of a file inside a sentence: `prices.csv`, `standard input`. */
export function nameInSentence(label: string): string {
  return label.replace(/^The file /, '').replace(/^Standard/, 'standard');
}

/** Returns the usage failure for a system error; other errors unchanged. */
export function unreadable(label: string, cause: unknown): unknown {
  const why = readErrorReason(cause);
  return why === undefined ? cause : usage(`Can't read ${nameInSentence(label)}: ${why}.`, { cause });
}

function isTerminal(path: string, label: string, found: Stats): boolean {
  if (!found.isCharacterDevice()) return false;
  let opened: number | undefined;
  try {
    opened = openSync(path, 'r');
    return isatty(opened);
  } catch (cause) {
    throw unreadable(label, cause);
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}
