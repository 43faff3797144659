/** Checks a Debian package with lintian, and installs and removes it in a small Debian. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from '../artifacts/run.ts';
import { has } from '../programs.ts';
import type { Tested } from './executables.ts';
import { notHere, outcomeOf } from './row.ts';
import { smokeTest } from './smoke-test.ts';

/** Tests a package. Debian's programs of another architecture can't run in it, so such a package is only read. */
export async function testDebianPackage(file: string, work: string): Promise<Tested> {
  const isOwn = file.includes('_amd64');
  const checked = await outcomeOf(() => lint(file));
  const otherMachine = 'this machine is amd64';
  if (!isOwn)
    return {
      installed: checked.state === 'ok' ? notHere(`${otherMachine}; ${checked.what}`) : checked,
      smoke: notHere(`${otherMachine}; its executable is that of the archive for linux-arm64`),
    };
  if (checked.state === 'failed') return { installed: checked, smoke: notHere('it was not installed') };
  const missing = ['mmdebstrap', 'bwrap'].filter((program) => !has(program));
  if (missing.length > 0 || process.getuid?.() !== 0) {
    const reason = notHere(missing.length > 0 ? `missing: ${missing.join(', ')}` : 'needs root');
    return { installed: reason, smoke: reason };
  }
  const root = join(work, 'debian');
  let smoke = notHere('it was not installed');
  const installed = await outcomeOf(async () => {
    run('mmdebstrap', ['--quiet', '--variant=minbase', release(), root]);
    copyFileSync(file, join(root, 'tmp', basename(file)));
    const before = filesIn(root);
    run('chroot', [root, 'dpkg', '--install', `/tmp/${basename(file)}`]);
    run('chroot', [root, 'dpkg', '--verify', 'boh']);
    const added = filesIn(root).filter((path) => !before.includes(path)).length;
    const shared = join(work, 'smoke');
    mkdirSync(shared, { recursive: true });
    const inside = [
      'bwrap',
      '--bind',
      root,
      '/',
      '--dev',
      '/dev',
      '--proc',
      '/proc',
      '--bind',
      shared,
      shared,
    ];
    smoke = await outcomeOf(
      () => `${smokeTest([...inside, '--die-with-parent', 'boh'], shared)}, in that Debian`,
    );
    run('chroot', [root, 'dpkg', '--purge', 'boh']);
    const left = filesIn(root).filter((path) => !before.includes(path));
    if (left.length > 0) throw new Error(`removing it leaves ${left.join(', ')}`);
    return `${checked.what}; installed (${added} files) and removed in a Debian made for it`;
  });
  return { installed, smoke };
}

function lint(file: string): string {
  if (!has('lintian')) return 'lintian is missing';
  const found = run('lintian', ['--allow-root', '--fail-on', 'error,warning', file]);
  return found.trim() === '' ? 'lintian finds nothing' : `lintian: ${found.trim()}`;
}

/** Returns the Debian of this machine, such as `bookworm`: its packages are those that this machine can fetch. */
function release(): string {
  return run('sh', ['-c', '. /etc/os-release && echo "$VERSION_CODENAME"']).trim();
}

/** Returns the files that a package could leave: not those that dpkg itself writes. */
function filesIn(root: string): string[] {
  const own = ['./proc', './dev', './sys', './tmp', './var/lib/dpkg', './var/log', './root', './var/cache'];
  const skip = own.flatMap((path) => ['-path', path, '-prune', '-o']);
  return run('find', ['.', ...skip, '-type', 'f', '-print'], { cwd: root })
    .trim()
    .split('\n');
}
