/** Folders for what is needed for a while, readable for nobody else, gone at the latest when the process ends as it can. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from './errors.ts';
import { isRunning } from './is-running.ts';
import { whyNotRead, whyRefused } from './unreadable.ts';

const folders = new Set<string>();

export interface Scratch {
  path: string;
  remove(): void;
}

/** `purpose` is a part of its name. Throws `unavailable` where none can be made. */
export function openScratch(purpose: string): Scratch {
  sweep(purpose);
  const path = newFolder(purpose);
  if (folders.size === 0) process.once('exit', removeAll);
  folders.add(path);
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true });
      folders.delete(path);
      if (folders.size === 0) process.off('exit', removeAll);
    },
  };
}

function newFolder(purpose: string): string {
  try {
    return mkdtempSync(join(tmpdir(), `boh-${purpose}-${process.pid}-`));
  } catch (cause) {
    throw new Failure(
      'unavailable',
      `No folder can be made in ${tmpdir()}: ${whyRefused(cause) ?? whyNotRead(cause)}.`,
      {
        hint: 'Name one that can be written: TMPDIR=FOLDER',
        cause,
      },
    );
  }
}

/** A process that was killed leaves its own behind. What can't be swept is not worth a word. */
function sweep(purpose: string): void {
  const leftOver = new RegExp(`^boh-${purpose}-(\\d+)-\\w{6}$`);
  try {
    for (const name of readdirSync(tmpdir())) {
      const owner = Number(leftOver.exec(name)?.[1]);
      if (owner && !isRunning(owner)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
    }
  } catch {
    // Of another person, or gone meanwhile.
  }
}

function removeAll(): void {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
}
