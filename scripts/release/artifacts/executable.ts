/** Builds single executables: Node with the program inside (docs/decisions/0022). */
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'postject';
import { rolldown } from 'rolldown';
import { root } from '../../root.ts';
import { chunks, dist } from '../chunks.ts';
import { currentPlatform, type NodeRuntime, type Platform, platforms } from './nodes.ts';
import { run } from './run.ts';

/** The marker in Node's executable that tells it whether it contains a program. */
export const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** The name of the resource, note or section that contains the program. */
export const resource = 'NODE_SEA_BLOB';

/** Options of V8 for reproducible compiled code. */
const reproducibleFlags = ['--hash-seed=1', '--single-threaded', '--no-flush-bytecode'];

/** The entry scripts of an executable and of its worker threads. Each becomes a single file. */
const entries = {
  main: 'executable-entry.cjs',
  'workbook-worker': 'executable-workbook-worker.cjs',
  'query-worker': 'executable-query-worker.cjs',
};

/** Returns the name of the executable in its archive. */
export function executableName(platform: Platform): string {
  return platform.startsWith('win') ? 'boh.exe' : 'boh';
}

/**
 * Writes the program as the blob that Node reads from its executable, and returns the file. Only an executable for this
 * platform contains compiled code, which depends on the platform and the version of Node.
 */
export async function createBlob(work: string, options: { isCompiled: boolean }): Promise<string> {
  const folder = join(work, options.isCompiled ? 'compiled' : 'plain');
  mkdirSync(folder, { recursive: true });
  for (const [name, input] of Object.entries(entries)) {
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
    run(process.execPath, [...reproducibleFlags, join(root, 'scripts/release/compile-chunks.ts'), folder]);
    for (const chunk of chunks()) assets[`${chunk}.compiled`] = join(folder, `${chunk}.compiled`);
  }
  const output = join(folder, 'boh.blob');
  const config = join(folder, 'sea.json');
  // Relative paths and sorted names, so that the blob doesn't depend on the folder.
  const sortedAssets = Object.fromEntries(Object.entries(assets).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(
    config,
    JSON.stringify({
      main: 'main.cjs',
      output: 'boh.blob',
      disableExperimentalSEAWarning: true,
      assets: sortedAssets,
    }),
  );
  run(process.execPath, ['--experimental-sea-config', 'sea.json'], { cwd: folder });
  return output;
}

/** Writes the executable of a platform. On macOS, signs it ad hoc, because macOS doesn't run unsigned programs. */
export async function createExecutable(
  platform: Platform,
  { node, blob, file, isStripped }: { node: NodeRuntime; blob: string; file: string; isStripped: boolean },
): Promise<void> {
  const isMac = platform.startsWith('darwin');
  copyFileSync(node.program, file);
  chmodSync(file, 0o755);
  const { strip } = { strip: undefined, ...platforms[platform] };
  if (isStripped && strip !== undefined) run(strip, [file]);
  const canSign = isMac && currentPlatform() === platform;
  // The signature of Node is invalid for the changed file.
  if (canSign) run('codesign', ['--remove-signature', file]);
  await inject(file, resource, readFileSync(blob), {
    sentinelFuse: fuse,
    ...(isMac && { machoSegmentName: 'NODE_SEA' }),
  });
  if (canSign) run('codesign', ['--sign', '-', file]);
}
