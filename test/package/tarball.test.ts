import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { copyCheckout } from '../harness/copied-checkout.ts';
import { spawnBoh } from '../harness/spawn-boh.ts';
import { waitUntil } from '../harness/wait-until.ts';

let folder: string;
let checkout: string;
let files: string[];

/** Packs a copy of the checkout, because npm pack temporarily replaces the manifest. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-tarball-'));
  checkout = join(folder, 'checkout');
  copyCheckout(checkout);
  const options = { cwd: checkout, encoding: 'utf8' } as const;
  execFileSync('npm', ['pack', '--offline', '--silent', `--pack-destination=${folder}`], options);
  const tarball = join(folder, `boh-${manifest.version}.tgz`);
  execFileSync('tar', ['-xzf', tarball], { cwd: folder });
  files = execFileSync('tar', ['-tzf', tarball], { cwd: folder, encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((file) => file.replace('package/', ''));
});

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

test('the package: contains the program, its licenses and its documents only', () => {
  const top = new Set(files.map((file) => file.split('/')[0]));
  expect([...top].sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin',
    'dist',
    'man',
    'package.json',
  ]);
  expect(files).toContain('dist/THIRD-PARTY-LICENSES');
  expect(files).toContain('dist/bill-of-materials.json');
  for (const script of ['boh', '_boh', 'boh.fish', 'boh.ps1'])
    expect(files).toContain(`dist/completions/${script}`);
});

test('installing the package: installs no other package and runs no script', () => {
  const packed = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'));
  expect(Object.keys(packed).sort()).toEqual([
    'bin',
    'description',
    'engines',
    'exports',
    'files',
    'keywords',
    'license',
    'man',
    'name',
    'type',
    'version',
  ]);
  const { scripts, devDependencies, workspaces, ...publishedKeys } = manifest;
  expect(publishedKeys).toMatchObject(packed);
});

test('npm pack: restores the manifest, also after an interrupted npm pack', () => {
  const currentManifest = () => readFileSync(join(checkout, 'package.json'), 'utf8');
  const before = readFileSync('package.json', 'utf8');
  expect(currentManifest()).toBe(before);
  const script = join(checkout, 'scripts/release/packed-manifest.ts');
  for (const step of ['replace', 'replace', 'restore', 'restore'])
    execFileSync(process.execPath, [script, step]);
  expect(currentManifest()).toBe(before);
});

test.skipIf(process.platform === 'win32')(
  'npm pack killed in between: the checkout is unchanged (skipped on Windows, which has no ps)',
  async () => {
    const git = (...words: string[]) => execFileSync('git', words, { cwd: checkout, encoding: 'utf8' });
    const author = [
      '-c',
      'user.name=Test',
      '-c',
      'user.email=test@example.com',
      '-c',
      'commit.gpgsign=false',
    ];
    git('add', '--all');
    git(...author, 'commit', '--quiet', '--no-verify', '--message', 'all');
    // No process reads the pipe, so npm waits between its scripts until it is killed.
    const unread = join(folder, 'unread');
    mkdirSync(unread);
    execFileSync('mkfifo', [join(unread, `boh-${manifest.version}.tgz`)]);
    const npm = spawn('npm', ['pack', '--offline', '--silent', `--pack-destination=${unread}`], {
      cwd: checkout,
      stdio: 'ignore',
    });
    const isPacking = () => !('scripts' in JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')));
    await waitUntil(() => expect(isPacking()).toBe(true));
    npm.kill('SIGKILL');
    await waitUntil(() => expect(git('status', '--porcelain')).toBe(''));
    expect(existsSync(join(checkout, '.package.json.kept'))).toBe(false);
  },
);

test('the package: names the license of every bundled library', () => {
  const licenses = readFileSync(join(folder, 'package/dist/THIRD-PARTY-LICENSES'), 'utf8');
  for (const library of ['commander', 'undici', 'zod'])
    expect(licenses).toMatch(new RegExp(`^${library} \\d+\\.`, 'm'));
});

test('an unpacked package: runs', async () => {
  const { stdout, stderr, exitCode } = await spawnBoh(['--version'], {
    launcher: join(folder, 'package/bin/boh.js'),
  });
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toContain(manifest.version);
});
