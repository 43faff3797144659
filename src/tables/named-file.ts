/** Checks a file before it is read: its kind, whether it can be read twice, and whether it changes meanwhile. */
import { closeSync, openSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isatty } from 'node:tty';
import { usage } from '../base/errors.ts';
import { readErrorReason } from '../base/file-errors.ts';

/** A file from the command line. */
export interface NamedFile {
  path: string;
  /** The subject of messages: "The file prices.csv". */
  called: string;
  /** Its state when it was checked. */
  found: Stats;
  /** Whether it can be read only once: a pipe, such as of a process substitution, or a terminal. */
  isReadOnce: boolean;
}

/** Checks a file. Throws a usage failure for a missing file, a folder, or a device that may never end. */
export async function lookAt(path: string, called: string): Promise<NamedFile> {
  const found = await stat(path).catch((cause: unknown) => {
    throw unreadable(called, cause);
  });
  const isReadOnce = found.isFIFO() || isTerminal(path, called, found);
  if (!isReadOnce && !found.isFile())
    throw usage(
      `Can't read ${nameInSentence(called)}: it is ${found.isDirectory() ? 'a folder' : 'not a file'}.`,
    );
  return { path, called, found, isReadOnce };
}

/** Throws a usage failure if the file has changed since it was checked. */
export async function refuseChangedFile({ path, called, found }: NamedFile): Promise<void> {
  const now = await stat(path).catch(() => undefined);
  if (now?.ino === found.ino && now.size === found.size && now.mtimeMs === found.mtimeMs) return;
  throw usage(`${called} changed while it was read; nothing was sent.`, {
    hint: 'Run the command again when the file is complete.',
  });
}

/** Returns the name of a file inside a sentence: `prices.csv`, `standard input`. */
export function nameInSentence(called: string): string {
  return called.replace(/^The file /, '').replace(/^Standard/, 'standard');
}

/** Returns the usage failure for a system error; other errors unchanged. */
export function unreadable(called: string, cause: unknown): unknown {
  const why = readErrorReason(cause);
  return why === undefined ? cause : usage(`Can't read ${nameInSentence(called)}: ${why}.`, { cause });
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
