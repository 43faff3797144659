/** Checks a file: its kind, whether it can be read twice, and whether it changes while it is read. */
import { closeSync, openSync, type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isatty } from 'node:tty';
import { usage } from '../../base/errors.ts';
import { readErrorReason } from '../../base/file-errors.ts';

/** A file from the command line. */
export interface NamedFile {
  path: string;
  /** The file in messages: "The file prices.csv". */
  label: string;
  /** Its state when it was checked. */
  stats: Stats;
  /** Whether it can be read only once: a pipe, for example of a process substitution, or a terminal. */
  isReadOnce: boolean;
}

/** Checks a file. Throws a usage failure for a missing file, a folder, or a device that may never end. */
export async function checkFile(path: string, label: string): Promise<NamedFile> {
  const stats = await stat(path).catch((cause: unknown) => {
    throw readFailure(label, cause);
  });
  const isReadOnce = stats.isFIFO() || isTerminal(path, label, stats);
  if (!isReadOnce && !stats.isFile())
    throw usage(
      `Can't read ${labelInSentence(label)}: it is ${stats.isDirectory() ? 'a folder' : 'not a file'}.`,
    );
  return { path, label, stats, isReadOnce };
}

/** Throws a usage failure if an entry of a folder exists and isn't a regular file. Reading a pipe, for example, may never end. */
export function refuseSpecialFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== false) return;
  throw usage(`Can't read ${path}: it is not a regular file.`, {
    hint: 'Move it out of the folder. Nothing was sent.',
  });
}

/** Throws a usage failure if the file has changed since it was checked. */
export async function refuseChangedFile({ path, label, stats }: NamedFile): Promise<void> {
  const currentStats = await stat(path).catch(() => undefined);
  if (
    currentStats?.ino === stats.ino &&
    currentStats.size === stats.size &&
    currentStats.mtimeMs === stats.mtimeMs
  )
    return;
  throw usage(`${label} changed while it was read; nothing was sent.`, {
    hint: 'Run the command again when the file is complete.',
  });
}

/** Returns the label of a file for the middle of a sentence: `prices.csv`, `standard input`. */
export function labelInSentence(label: string): string {
  return label.replace(/^The file /, '').replace(/^Standard/, 'standard');
}

/** Returns the usage failure for a system error. Returns other errors unchanged. */
export function readFailure(label: string, cause: unknown): unknown {
  const reason = readErrorReason(cause);
  return reason === undefined ? cause : usage(`Can't read ${labelInSentence(label)}: ${reason}.`, { cause });
}

function isTerminal(path: string, label: string, stats: Stats): boolean {
  if (!stats.isCharacterDevice()) return false;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    return isatty(descriptor);
  } catch (cause) {
    throw readFailure(label, cause);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
