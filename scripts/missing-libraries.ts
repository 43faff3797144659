/** Finds libraries of the lock file that aren't installed in its version, for example after a pull. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.ts';

interface LockFile {
  packages: Readonly<Record<string, { version?: string; optional?: boolean; link?: boolean }>>;
}

/**
 * Returns `name@version` of each missing library that every platform needs. npm lists the installed libraries in
 * node_modules/.package-lock.json.
 */
export function missingLibraries(checkout = root): string[] {
  const lockedPackages = readLockFile(join(checkout, 'package-lock.json')).packages;
  const installedPackages = readLockFile(join(checkout, 'node_modules/.package-lock.json')).packages;
  return Object.entries(lockedPackages).flatMap(([path, { version, optional, link }]) => {
    if (!path.startsWith('node_modules/') || optional || link) return [];
    return installedPackages[path]?.version === version
      ? []
      : [`${path.split('node_modules/').at(-1)}@${version}`];
  });
}

function readLockFile(file: string): LockFile {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { packages: {} };
}
