/** Folders for what is needed for a while, readable for nobody else, gone at the latest when the process ends as it can. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();

export interface Scratch {
  path: string;
  remove(): void;
}

/** `purpose` is a part of its name. */
export function openScratch(purpose: string): Scratch {
  const path = mkdtempSync(join(tmpdir(), `boh-${purpose}-`));
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

function removeAll(): void {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
}
