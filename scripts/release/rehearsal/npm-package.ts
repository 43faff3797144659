/** Installs the npm package with three package managers into separate folders, and tests the installed programs. */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toolFolder } from '../../tools.ts';
import { run } from '../artifacts/run.ts';
import { type Outcome, outcomeOf } from './report.ts';
import { smokeTest } from './smoke-test.ts';

interface PackageManager {
  name: string;
  /** Installs the tarball in the folder and returns the path of the program. */
  install(tarball: string, folder: string): string;
}

const packageManagers: readonly PackageManager[] = [
  {
    name: 'npm',
    install: (tarball, folder) => {
      run('npm', ['install', '--global', '--offline', '--ignore-scripts', `--prefix=${folder}`, tarball]);
      return join(folder, 'bin/boh');
    },
  },
  {
    name: 'pnpm',
    install: (tarball, folder) => {
      const pnpm = join(toolFolder, 'node_modules/pnpm/bin/pnpm.mjs');
      const bin = join(folder, 'bin');
      const env = {
        ...process.env,
        PNPM_HOME: folder,
        XDG_DATA_HOME: folder,
        HOME: folder,
        PATH: `${bin}:${pathWithNode()}`,
      };
      run(process.execPath, [pnpm, 'add', '--global', '--offline', `--store-dir=${folder}/store`, tarball], {
        env,
        cwd: folder,
      });
      return join(bin, 'boh');
    },
  },
  {
    name: 'bun',
    install: (tarball, folder) => {
      // bun's install script puts the program for this machine here.
      const bun = join(toolFolder, 'node_modules/bun/bin/bun.exe');
      const env = { ...process.env, BUN_INSTALL: folder, HOME: folder };
      run(bun, ['add', '--global', '--ignore-scripts', tarball], { env, cwd: folder });
      return join(folder, 'bin/boh');
    },
  },
];

/** Installs and tests the package. rehearse.ts must install the package managers first. Returns the outcomes of both. */
export async function testNpmPackage(
  tarball: string,
  work: string,
): Promise<{ installed: Outcome; smoke: Outcome }> {
  const programs: [string, string][] = [];
  const installed = await outcomeOf(() => {
    const durations = packageManagers.map(({ name, install }) => {
      const folder = mkdtempSync(join(work, `${name}-`));
      const startMs = performance.now();
      const program = install(tarball, folder);
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
      programs.push([name, program]);
      return `${name} in ${seconds} s`;
    });
    return `${durations.join(', ')}; ${sizeOf(work)}; ${timeToFirstTable(tarball, work)}`;
  });
  const smoke = await outcomeOf(() => {
    const results = programs.map(
      ([name, program]) => `${name}: ${smokeTest([program], join(work, 'smoke'))}`,
    );
    if (results.length < packageManagers.length) throw new Error('it was not installed');
    return results.join(', ');
  });
  return { installed, smoke };
}

function pathWithNode(): string {
  return `${dirname(process.execPath)}:${process.env.PATH}`;
}

/** Returns the size of npm's installation on disk. */
function sizeOf(work: string): string {
  const [folder = ''] = globSync('npm-*/lib/node_modules/boh', { cwd: work });
  const files = globSync('**', { cwd: join(work, folder), withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const bytes = files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  return `${(bytes / 1e6).toFixed(1)} MB installed`;
}

/** Returns the time of npm's installation and the first list of the sandbox. */
function timeToFirstTable(tarball: string, work: string): string {
  const folder = mkdtempSync(join(work, 'first-'));
  const env = { ...process.env, HOME: folder, BOH_CONFIG_DIR: join(folder, 'config'), PATH: pathWithNode() };
  mkdirSync(join(folder, 'config'));
  const startMs = performance.now();
  run('npm', ['install', '--global', '--offline', `--prefix=${folder}`, tarball]);
  execFileSync(join(folder, 'bin/boh'), ['--sandbox', 'customers', 'list', '-o', 'table'], {
    env,
    stdio: 'ignore',
  });
  return `${((performance.now() - startMs) / 1000).toFixed(1)} s to the first table`;
}
