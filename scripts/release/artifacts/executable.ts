/** Makes single executables: Node with the program inside (docs/decisions/0022). */
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'postject';
import { rolldown } from 'rolldown';
import { root } from '../../root.ts';
import { chunks, dist } from '../chunks.ts';
import { type Node, ownPlatform, type Platform, platforms } from './nodes.ts';
import { run } from './run.ts';

/** What Node looks for in itself to find out whether it contains a program. */
export const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** The name of the resource, note or section that contains the program. */
export const resource = 'NODE_SEA_BLOB';

/** Hash seed, threads and memory of V8, so that it compiles the same code to the same bytes. */
const reproducibly = ['--hash-seed=1', '--single-threaded', '--no-flush-bytecode'];

/** The scripts that an executable starts with, and that its threads start with: it takes one file for each. */
const starts = {
  main: 'executable-entry.cjs',
  'workbook-worker': 'executable-worker.cjs',
  'query-worker': 'executable-query-worker.cjs',
};

/** Returns the name of the executable in its archive. */
export function executableName(platform: Platform): string {
  return platform.startsWith('win') ? 'boh.exe' : 'boh';
}

/**
 * Writes the program in the form that Node reads from itself, and returns the file. Compiled code is for one platform and
 * one version of Node only, so only an executable for this platform contains it.
 */
export async function makeBlob(work: string, options: { isCompiled: boolean }): Promise<string> {
  const folder = join(work, options.isCompiled ? 'compiled' : 'plain');
  mkdirSync(folder, { recursive: true });
  for (const [name, input] of Object.entries(starts)) {
    const bundle = await rolldown({ input: join(root, 'scripts/release', input), platform: 'node' });
    await bundle.write({ file: join(folder, `${name}.cjs`), format: 'cjs' });
    await bundle.close();
  }
  const assets: Record<string, string> = {
    'workbook-worker': join(folder, 'workbook-worker.cjs'),
    'query-worker': join(folder, 'query-worker.cjs'),
  };
  for (const page of readdirSync(join(root, 'man'))) assets[`man/${page}`] = join(root, 'man', page);
  for (const chunk of chunks()) assets[chunk] = join(dist, chunk);
  if (options.isCompiled) {
    run(process.execPath, [...reproducibly, join(root, 'scripts/release/compile-chunks.ts'), folder]);
    for (const chunk of chunks()) assets[`${chunk}.compiled`] = join(folder, `${chunk}.compiled`);
  }
  const output = join(folder, 'boh.blob');
  const config = join(folder, 'sea.json');
  // Relative paths and sorted names: the file must not depend on where it is made.
  const sorted = Object.fromEntries(Object.entries(assets).sort(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(
    config,
    JSON.stringify({
      main: 'main.cjs',
      output: 'boh.blob',
      disableExperimentalSEAWarning: true,
      assets: sorted,
    }),
  );
  run(process.execPath, ['--experimental-sea-config', 'sea.json'], { cwd: folder });
  return output;
}

/** Writes the executable of a platform. On macOS it is signed ad hoc: macOS starts no unsigned programs. */
export async function makeExecutable(
  platform: Platform,
  { node, blob, file, isStripped }: { node: Node; blob: string; file: string; isStripped: boolean },
): Promise<void> {
  const isMac = platform.startsWith('darwin');
  copyFileSync(node.program, file);
  chmodSync(file, 0o755);
  const place = platforms[platform];
  if (isStripped && 'strip' in place) run(place.strip, [file]);
  const canSign = isMac && ownPlatform() === platform;
  // The signature of Node doesn't fit the changed file; macOS accepts none, but not a wrong one.
  if (canSign) run('codesign', ['--remove-signature', file]);
  await inject(file, resource, readFileSync(blob), {
    sentinelFuse: fuse,
    ...(isMac && { machoSegmentName: 'NODE_SEA' }),
  });
  if (canSign) run('codesign', ['--sign', '-', file]);
}
