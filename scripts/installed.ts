/** Which libraries of the lock file are not installed, or in another version: a checkout that was brought up to date has them so. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.ts';

interface Lock {
  packages: Readonly<Record<string, { version?: string; optional?: boolean; link?: boolean }>>;
}

/** Of those that every platform needs: `name@version`. npm keeps what it has installed in a lock file of its own. */
export function missingLibraries(checkout = root): string[] {
  const expected = lockIn(join(checkout, 'package-lock.json')).packages;
  const installed = lockIn(join(checkout, 'node_modules/.package-lock.json')).packages;
  return Object.entries(expected).flatMap(([path, { version, optional, link }]) => {
    if (!path.startsWith('node_modules/') || optional || link) return [];
    return installed[path]?.version === version ? [] : [`${path.split('node_modules/').at(-1)}@${version}`];
  });
}

function lockIn(file: string): Lock {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { packages: {} };
}
