/** A small JSON file among the caches: one that can't be read or written is as good as an empty one. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asOwnerOf } from '../base/as-owner.ts';
import type { Environment } from '../base/environment.ts';
import { makeFolder } from '../base/make-folder.ts';
import { cacheFolder } from './folders.ts';

export interface CacheFile {
  /** What stands in it, by key; nothing of it has been checked. */
  read(): Record<string, unknown>;
  write(entries: Record<string, unknown>): void;
}

export function openCacheFile(environment: Environment, name: string): CacheFile {
  const folder = cacheFolder(environment);
  const path = join(folder, name);
  return {
    read() {
      // Most often there is none, and to fail of that takes longer than to look.
      if (!existsSync(path)) return {};
      try {
        const value: unknown = JSON.parse(asOwnerOf(folder, () => readFileSync(path, 'utf8')));
        return typeof value === 'object' && value !== null ? { ...value } : {};
      } catch {
        return {};
      }
    },
    write(entries) {
      try {
        asOwnerOf(folder, () => {
          makeFolder(folder, { mode: 0o700 });
          replaceFile(path, JSON.stringify(entries));
        });
      } catch {
        // The next command asks again.
      }
    },
  };
}

/** The new file takes the old one's place when it is whole: another boh may be reading. */
function replaceFile(path: string, text: string): void {
  const next = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(next, text, { mode: 0o600, flag: 'wx' });
    renameSync(next, path);
  } finally {
    rmSync(next, { force: true });
  }
}
