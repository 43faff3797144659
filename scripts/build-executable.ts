/** Makes executable/boh of the program and the runtime of the checkout: one file that needs nothing beside it. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'postject';
import { rolldown } from 'rolldown';
import { chunks, dist } from './release/chunks.ts';
import { root } from './root.ts';

const folder = join(root, 'executable');
const name = process.platform === 'win32' ? 'boh.exe' : 'boh';
const executable = join(folder, name);
/** What has to come with it. */
const papers = ['THIRD-PARTY-LICENSES', 'bill-of-materials.json'];
const work = join(folder, 'work');

rmSync(folder, { recursive: true, force: true });
mkdirSync(work, { recursive: true });

const here = (file: string) => join(root, 'scripts/release', file);
run(process.execPath, [here('compile-chunks.ts'), work]);

// One script each, as an executable takes no more: threads begin with the same loader as the program.
const beginnings = {
  main: here('executable-entry.cjs'),
  worker: here('executable-worker.cjs'),
  'query-worker': here('executable-query-worker.cjs'),
};
for (const [beginning, input] of Object.entries(beginnings)) {
  const bundle = await rolldown({ input, platform: 'node' });
  await bundle.write({ file: join(work, `${beginning}.cjs`), format: 'cjs' });
  await bundle.close();
}

const assets = chunks().flatMap((chunk) => [
  [chunk, join(dist, chunk)],
  [`${chunk}.compiled`, join(work, `${chunk}.compiled`)],
]);
const config = {
  main: join(work, 'main.cjs'),
  output: join(work, 'boh.blob'),
  disableExperimentalSEAWarning: true,
  assets: {
    ...Object.fromEntries(assets),
    'workbook-worker': join(work, 'worker.cjs'),
    'query-worker': join(work, 'query-worker.cjs'),
  },
};
writeFileSync(join(work, 'sea.json'), JSON.stringify(config));
run(process.execPath, ['--experimental-sea-config', join(work, 'sea.json')]);

copyFileSync(process.execPath, executable);
chmodSync(executable, 0o755);
// A signature would not hold any more: macOS takes none for better than a broken one.
if (process.platform === 'darwin') run('codesign', ['--remove-signature', executable]);
await inject(executable, 'NODE_SEA_BLOB', readFileSync(config.output), {
  sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
  ...(process.platform === 'darwin' && { machoSegmentName: 'NODE_SEA' }),
});
if (process.platform === 'darwin') run('codesign', ['--sign', '-', executable]);

for (const paper of papers) copyFileSync(join(dist, paper), join(folder, paper));
rmSync(work, { recursive: true });
const sums = [name, ...papers].map(
  (file) =>
    `${createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex')}  ${file}\n`,
);
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
process.stdout.write(`executable/${name}: ${Math.round(statSync(executable).size / 2 ** 20)} MB\n`);

function run(command: string, args: string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
}
