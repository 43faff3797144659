/** Unpacks the container image and runs it with its root file system read-only, as its user. */
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from '../artifacts/run.ts';
import { isInstalled } from '../programs.ts';
import { releaseVersion } from '../release-settings.ts';
import type { TestOutcomes } from './executables.ts';
import { outcomeOf, skipped } from './report.ts';
import { smokeTest } from './smoke-test.ts';

/** The user of the image. */
const userId = '65532';

/** Tests an image in an OCI archive. */
export async function testImage(file: string, work: string): Promise<TestOutcomes> {
  const missingPrograms = ['umoci', 'skopeo', 'bwrap'].filter((program) => !isInstalled(program));
  if (missingPrograms.length > 0) {
    const outcome = skipped(`missing: ${missingPrograms.join(', ')}`);
    return { installed: outcome, smoke: outcome };
  }
  const folder = mkdtempSync(join(work, 'image-'));
  const bundle = join(folder, 'bundle');
  const installed = await outcomeOf(() => {
    const { config } = JSON.parse(run('skopeo', ['inspect', '--config', `oci-archive:${file}`]));
    if (!config.User.startsWith(userId)) throw new Error(`it runs as ${config.User}`);
    run('skopeo', ['copy', '--quiet', `oci-archive:${file}`, `oci:${folder}/layout:${releaseVersion()}`]);
    const userOption = process.getuid?.() === 0 ? [] : ['--rootless'];
    run('umoci', ['unpack', ...userOption, '--image', `${folder}/layout:${releaseVersion()}`, bundle]);
    const programs = readdirSync(join(bundle, 'rootfs/usr/bin'));
    if (programs.join() !== 'boh') throw new Error(`it contains the programs ${programs.join(', ')}`);
    return 'inspected with skopeo, unpacked with umoci; one program, no shell; the user is not root';
  });
  const sharedFolder = join(work, 'smoke');
  const data = join(folder, 'data');
  for (const path of [sharedFolder, data]) mkdirSync(path, { recursive: true });
  const containerCommand = [
    ...['bwrap', '--unshare-user', '--uid', userId, '--gid', userId, '--die-with-parent'],
    ...['--ro-bind', join(bundle, 'rootfs'), '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
    ...['--bind', data, '/data'],
  ];
  const smoke = await outcomeOf(() => {
    importWithLedger(containerCommand, data);
    const steps = smokeTest(
      [...containerCommand, '--bind', sharedFolder, sharedFolder, '/usr/bin/boh'],
      sharedFolder,
    );
    return `import of a mounted file with --ledger, and ${steps}; with a read-only root file system, under bubblewrap`;
  });
  return { installed, smoke };
}

function importWithLedger(containerCommand: readonly string[], data: string): void {
  writeFileSync(join(data, 'suppliers.csv'), 'name,code\nMounted Farms,MOUNTED-1\n');
  const [program = '', ...containerArgs] = containerCommand;
  const bohArgs = [
    '--clearenv',
    '--setenv',
    'HOME',
    '/data',
    '--chdir',
    '/data',
    '/usr/bin/boh',
    '--sandbox',
  ];
  const ledger = ['--ledger', '/data/ledger', '--key', 'code', '--yes'];
  run(program, [...containerArgs, ...bohArgs, 'suppliers', 'import', '/data/suppliers.csv', ...ledger]);
  const names = readdirSync(data).map((name) => basename(name));
  if (!names.includes('ledger'))
    throw new Error(`the mounted folder doesn't contain the ledger: ${names.join(', ')}`);
}
