/** Checks a Debian package with lintian, and installs and removes it in a small Debian. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from '../artifacts/run.ts';
import { isInstalled } from '../programs.ts';
import type { TestOutcomes } from './executables.ts';
import { outcomeOf, skipped } from './report.ts';
import { smokeTest } from './smoke-test.ts';

/** Tests a package. A package for another architecture is only checked with lintian, because it can't be installed. */
export async function testDebianPackage(file: string, work: string): Promise<TestOutcomes> {
  const isInstallable = file.includes('_amd64');
  const lintOutcome = await outcomeOf(() => lint(file));
  const otherMachine = 'this machine is amd64';
  if (!isInstallable)
    return {
      installed:
        lintOutcome.state === 'ok' ? skipped(`${otherMachine}; ${lintOutcome.details}`) : lintOutcome,
      smoke: skipped(`${otherMachine}; the archive for linux-arm64 contains the same executable`),
    };
  if (lintOutcome.state === 'failed')
    return { installed: lintOutcome, smoke: skipped('it was not installed') };
  const missingPrograms = ['mmdebstrap', 'bwrap'].filter((program) => !isInstalled(program));
  if (missingPrograms.length > 0 || process.getuid?.() !== 0) {
    const outcome = skipped(
      missingPrograms.length > 0 ? `missing: ${missingPrograms.join(', ')}` : 'needs root',
    );
    return { installed: outcome, smoke: outcome };
  }
  const root = join(work, 'debian');
  let smoke = skipped('it was not installed');
  const installed = await outcomeOf(async () => {
    run('mmdebstrap', ['--quiet', '--variant=minbase', release(), root]);
    copyFileSync(file, join(root, 'tmp', basename(file)));
    const initialFiles = filesIn(root);
    run('chroot', [root, 'dpkg', '--install', `/tmp/${basename(file)}`]);
    run('chroot', [root, 'dpkg', '--verify', 'boh']);
    const addedCount = filesIn(root).filter((path) => !initialFiles.includes(path)).length;
    const sharedFolder = join(work, 'smoke');
    mkdirSync(sharedFolder, { recursive: true });
    const chrootCommand = [
      'bwrap',
      '--bind',
      root,
      '/',
      '--dev',
      '/dev',
      '--proc',
      '/proc',
      '--bind',
      sharedFolder,
      sharedFolder,
    ];
    smoke = await outcomeOf(
      () => `${smokeTest([...chrootCommand, '--die-with-parent', 'boh'], sharedFolder)}, in a new Debian`,
    );
    run('chroot', [root, 'dpkg', '--purge', 'boh']);
    const leftovers = filesIn(root).filter((path) => !initialFiles.includes(path));
    if (leftovers.length > 0) throw new Error(`files remain after removal: ${leftovers.join(', ')}`);
    return `${lintOutcome.details}; installed (${addedCount} files) and removed in a new Debian`;
  });
  return { installed, smoke };
}

function lint(file: string): string {
  if (!isInstalled('lintian')) return 'lintian is not installed';
  const findings = run('lintian', ['--allow-root', '--fail-on', 'error,warning', file]);
  return findings.trim() === '' ? 'no findings of lintian' : `lintian: ${findings.trim()}`;
}

/** Returns the Debian release of this machine, such as `bookworm`, because its repository is configured. */
function release(): string {
  return run('sh', ['-c', '. /etc/os-release && echo "$VERSION_CODENAME"']).trim();
}

/** Returns all files except those that dpkg or the system writes. */
function filesIn(root: string): string[] {
  const ignoredPaths = [
    './proc',
    './dev',
    './sys',
    './tmp',
    './var/lib/dpkg',
    './var/log',
    './root',
    './var/cache',
  ];
  const pruneArgs = ignoredPaths.flatMap((path) => ['-path', path, '-prune', '-o']);
  return run('find', ['.', ...pruneArgs, '-type', 'f', '-print'], { cwd: root })
    .trim()
    .split('\n');
}
