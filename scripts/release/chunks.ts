/** The chunks of a build, by their paths in dist/. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';

export const dist = join(root, 'dist');

export function chunks(): string[] {
  return globSync('**/*.cjs', { cwd: dist }).map((name) => name.replaceAll('\\', '/'));
}
