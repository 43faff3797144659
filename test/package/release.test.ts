import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import owner from '../../release.json' with { type: 'json' };
import { releaseChanges, sectionOf } from '../../scripts/release/changelog.ts';
import { packageManifests } from '../../scripts/release/package-manifests.ts';
import { placeholders } from '../../scripts/release/release-settings.ts';
import { copyCheckout } from '../harness/copied-checkout.ts';

describe('the changelog of a release', () => {
  const changelog = `# Changelog

## [Unreleased]

### Added
- A flag.

## [0.1.0] - 2026-01-02
- All.
`;

  test('unreleased changes: move under the version', () => {
    const releasedChangelog = releaseChanges(changelog, '0.2.0', '2026-03-04');
    expect(sectionOf(releasedChangelog, 'Unreleased')).toBe('');
    expect(sectionOf(releasedChangelog, '0.2.0')).toBe('### Added\n- A flag.');
    expect(releasedChangelog).toContain('## [0.2.0] - 2026-03-04\n');
    expect(sectionOf(releasedChangelog, '0.1.0')).toBe('- All.');
  });

  test.each([
    ['no changes', changelog.replace('- A flag.\n', ''), '0.2.0', 'no unreleased changes'],
    [
      'no section for them',
      changelog.replace('[Unreleased]', '[Next]'),
      '0.2.0',
      'no section "## [Unreleased]"',
    ],
    ['a version that was released', changelog, '0.1.0', 'already has a section'],
  ])('%s: is refused', (_, text, version, message) => {
    expect(() => releaseChanges(text, version, '2026-03-04')).toThrow(message);
  });
});

test('manifests of Homebrew, Scoop and winget: contain the URLs and hashes of the artifacts', () => {
  const suffixes = [
    'linux-x64.tar.gz',
    'linux-arm64.tar.gz',
    'darwin-x64.tar.gz',
    'darwin-arm64.tar.gz',
    'win-x64.zip',
  ];
  const hashes = Object.fromEntries(
    suffixes.map((suffix, index) => [`boh-1.2.3-${suffix}`, `${index}`.repeat(64)]),
  );
  const downloads = 'https://files.example.com/vVERSION';
  const input = { version: '1.2.3', downloads, homepage: 'https://example.com', publisher: 'Example' };
  const files = packageManifests(input, hashes);
  for (const suffix of suffixes.slice(0, 4)) {
    const block = `url "https://files.example.com/v1.2.3/boh-1.2.3-${suffix}"\n      sha256 "${hashes[`boh-1.2.3-${suffix}`]}"`;
    expect(files['boh.rb']).toContain(block);
  }
  const windows = { url: 'https://files.example.com/v1.2.3/boh-1.2.3-win-x64.zip', hash: '4'.repeat(64) };
  expect(JSON.parse(files['boh.scoop.json'] ?? '').architecture).toEqual({ '64bit': windows });
  expect(parse(files['Example.boh.installer.yaml'] ?? '')).toMatchObject({
    PackageIdentifier: 'Example.boh',
    Installers: [{ InstallerUrl: windows.url, InstallerSha256: windows.hash }],
  });
  expect(() => packageManifests(input, {})).toThrow('No hash of the artifact');
});

test('release.json: every value that is not set is reported', () => {
  expect(placeholders({ a: 'TO-BE-SET: the name', b: 'set' })).toEqual(['a: the name']);
});

describe('npm run release:prepare', () => {
  let folder: string;
  let checkout: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'boh-prepare-'));
    checkout = join(folder, 'checkout');
    copyCheckout(checkout);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

  const script = 'scripts/release/prepare.ts';
  const prepare = (...words: string[]) =>
    spawnSync(process.execPath, [script, ...words], { cwd: checkout, encoding: 'utf8' });
  const read = (file: string) => readFileSync(join(checkout, file), 'utf8');

  function setOwner(): void {
    const values = Object.fromEntries(Object.keys(owner).map((name) => [name, `value of ${name}`]));
    writeFileSync(join(checkout, 'release.json'), JSON.stringify(values));
  }

  test('values that are not set: are reported, and nothing is changed', () => {
    writeFileSync(join(checkout, 'release.json'), JSON.stringify({ ...owner, bugs: 'TO-BE-SET: the list' }));
    const { status, stderr } = prepare('9.8.7');
    expect(status).toBe(1);
    expect(stderr).toContain('bugs: the list');
    expect(read('package.json')).not.toContain('9.8.7');
  });

  test('a version: is set everywhere, and the changelog has its section', () => {
    setOwner();
    const changelog = read('CHANGELOG.md').replace('## [Unreleased]', '## [Unreleased]\n\n- Something new.');
    writeFileSync(join(checkout, 'CHANGELOG.md'), changelog);
    expect(prepare('--check', 'v9.8.7').stderr).toContain('The tag is 9.8.7');
    const { status, stderr } = prepare('9.8.7');
    expect([status, stderr]).toEqual([0, '']);
    expect(JSON.parse(read('package.json')).version).toBe('9.8.7');
    expect(JSON.parse(read('package-lock.json')).packages[''].version).toBe('9.8.7');
    expect(sectionOf(read('CHANGELOG.md'), '9.8.7')).toContain('- Something new.');
    expect(read('man/boh.1')).toContain('boh 9.8.7');
    expect(prepare('--check', 'v9.8.7')).toMatchObject({ status: 0, stderr: '' });
    execFileSync(process.execPath, ['scripts/reference.ts', '--check'], { cwd: checkout });
  });
});
