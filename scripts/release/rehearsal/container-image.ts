/** Unpacks the container image and runs it with its root file system read-only, as its user. */
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from '../artifacts/run.ts';
import { releaseVersion } from '../facts.ts';
import { has } from '../programs.ts';
import type { Tested } from './executables.ts';
import { notHere, outcomeOf } from './row.ts';
import { smokeTest } from './smoke-test.ts';

/** The user of the image. */
const userId = '65532';

/** Tests an image in an OCI archive. */
export async function testImage(file: string, work: string): Promise<Tested> {
  const missing = ['umoci', 'skopeo', 'bwrap'].filter((program) => !has(program));
  if (missing.length > 0) {
    const reason = notHere(`missing: ${missing.join(', ')}`);
    return { installed: reason, smoke: reason };
  }
  const folder = mkdtempSync(join(work, 'image-'));
  const bundle = join(folder, 'bundle');
  const installed = await outcomeOf(() => {
    const { config } = JSON.parse(run('skopeo', ['inspect', '--config', `oci-archive:${file}`]));
    if (!config.User.startsWith(userId)) throw new Error(`it runs as ${config.User}`);
    run('skopeo', ['copy', '--quiet', `oci-archive:${file}`, `oci:${folder}/layout:${releaseVersion()}`]);
    const asUser = process.getuid?.() === 0 ? [] : ['--rootless'];
    run('umoci', ['unpack', ...asUser, '--image', `${folder}/layout:${releaseVersion()}`, bundle]);
    const programs = readdirSync(join(bundle, 'rootfs/usr/bin'));
    if (programs.join() !== 'boh') throw new Error(`it contains the programs ${programs.join(', ')}`);
    return 'read by skopeo, unpacked by umoci; one program, no shell; the user is not root';
  });
  const shared = join(work, 'smoke');
  const data = join(folder, 'data');
  for (const each of [shared, data]) mkdirSync(each, { recursive: true });
  const inside = [
    ...['bwrap', '--unshare-user', '--uid', userId, '--gid', userId, '--die-with-parent'],
    ...['--ro-bind', join(bundle, 'rootfs'), '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
    ...['--bind', data, '/data'],
  ];
  const smoke = await outcomeOf(() => {
    importWithLedger(inside, data);
    const steps = smokeTest([...inside, '--bind', shared, shared, '/usr/bin/boh'], shared);
    return `import of a mounted file with --ledger, and ${steps}; root file system read-only, by bubblewrap`;
  });
  return { installed, smoke };
}

function importWithLedger(inside: readonly string[], data: string): void {
  writeFileSync(join(data, 'suppliers.csv'), 'name,code\nMounted Farms,MOUNTED-1\n');
  const [program = '', ...first] = inside;
  const environment = [
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
  run(program, [...first, ...environment, 'suppliers', 'import', '/data/suppliers.csv', ...ledger]);
  const kept = readdirSync(data).map((name) => basename(name));
  if (!kept.includes('ledger')) throw new Error(`the mounted folder has no ledger: ${kept.join(', ')}`);
}
