/** Deletes the parts of npm's Node packages that aren't used, such as headers for building native code. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import runtime from '../runtime/package.json' with { type: 'json' };
import { root } from './root.ts';

/** Folders to delete. The license is kept, because executables contain it. */
const unusedFolders = ['include', 'share'];

const libraries = join(root, 'node_modules');
const installedPackages = readdirSync(libraries).filter((name) => name in runtime.optionalDependencies);
for (const name of installedPackages)
  for (const folder of unusedFolders) rmSync(join(libraries, name, folder), { recursive: true, force: true });
