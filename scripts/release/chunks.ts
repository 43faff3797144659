/** Lists the chunks of a build. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';

/** The path of the folder dist/, which contains the build. */
export const dist = join(root, 'dist');

/** Returns the paths of all chunks, relative to dist/. */
export function chunks(): string[] {
  return globSync('**/*.cjs', { cwd: dist }).map((name) => name.replaceAll('\\', '/'));
}
