/** Deletes what npm's packages of Node have beside the program: headers for building native code, which nothing here does. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import runtime from '../runtime/package.json' with { type: 'json' };
import { root } from './root.ts';

/** The license stays: an executable contains it. */
const unused = ['include', 'share'];

const libraries = join(root, 'node_modules');
const installed = readdirSync(libraries).filter((name) => name in runtime.optionalDependencies);
for (const name of installed)
  for (const folder of unused) rmSync(join(libraries, name, folder), { recursive: true, force: true });
