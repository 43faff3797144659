import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { spawnBoh } from '../harness/spawn-boh.ts';

let folder: string;
let files: string[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-tarball-'));
  const options = ['--ignore-scripts', '--offline', '--silent', `--pack-destination=${folder}`];
  const tarball = execFileSync('npm', ['pack', ...options], { encoding: 'utf8' }).trim();
  execFileSync('tar', ['-xzf', tarball], { cwd: folder });
  files = execFileSync('tar', ['-tzf', tarball], { cwd: folder, encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((file) => file.replace('package/', ''));
});

afterAll(() => rmSync(folder, { recursive: true }));

test('holds the program, its licences and its papers, and nothing else', () => {
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
});

test('brings all it needs: installing it installs nothing else', () => {
  const packed = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'));
  expect(packed.dependencies).toBeUndefined();
  expect(packed.optionalDependencies).toBeUndefined();
  expect(packed.scripts.install ?? packed.scripts.postinstall).toBeUndefined();
});

test('names the licence of every library in it', () => {
  const licenses = readFileSync(join(folder, 'package/dist/THIRD-PARTY-LICENSES'), 'utf8');
  for (const library of ['commander', 'undici', 'zod'])
    expect(licenses).toMatch(new RegExp(`^${library} \\d+\\.`, 'm'));
});

test('runs from where it was unpacked', async () => {
  const { stdout, stderr, exitCode } = await spawnBoh(['--version'], {
    launcher: join(folder, 'package/bin/boh.js'),
  });
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toContain(manifest.version);
});
