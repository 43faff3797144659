/** Fills the disk that boh writes to, and checks that existing files stay unchanged and no success is reported. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BohResult, failureOf, runBoh } from '../harness/run-boh.ts';
import { mountSmallDisk, needsRoot, type SmallDisk } from '../harness/small-disk.ts';
import { spawnBoh } from '../harness/spawn-boh.ts';
import { useRecorder } from '../harness/use-recorder.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';

const service = useRecorder();
const newFolder = temporaryFolders();

/** Returns the contents of all files in a folder by path, except for the file that fills the disk. */
function contentsOf(folder: string): Record<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'ballast')
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(files.map((file) => [file, readFileSync(file)]));
}

describe('settings and tokens on a full disk', () => {
  const profile = {
    base_url: 'http://127.0.0.1:9',
    token: 'a-long-token',
    business_name: 'x'.repeat(20_000),
    output: 'json',
  };
  const config = { version: 1, active: 'main', profiles: { main: profile, other: profile }, defaults: {} };

  it.for([
    ['config set output json', ''],
    ['config unset output', ''],
    ['profiles add third --base-url http://127.0.0.1:9', ''],
    ['profiles use other', ''],
    ['profiles rename other another', ''],
    ['profiles remove other --yes', ''],
    ['auth logout', ''],
    ['auth login --with-token --yes --profile third --base-url URL', 'another-long-token'],
  ] as const)('boh %s: fails and changes no file', async ([line, stdin], { skip }) => {
    const disk = mountSmallDisk(64);
    if (disk === undefined) return skip(needsRoot);
    const folder = join(disk.path, 'boh');
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
    const before = contentsOf(disk.path);
    for (const freeKilobytes of [0, 8]) {
      disk.fill(freeKilobytes);
      const words = line.replace('URL', service.baseUrl()).split(' ');
      const result = await runBoh(words, { env: { BOH_CONFIG_DIR: folder }, stdin });
      expect(result.exitCode, result.stderr).toBe(8);
      expect(failureOf(result).message).toContain('the disk is full');
      // The address of a failed sign-in is kept for the next attempt.
      rmSync(join(folder, 'cache'), { recursive: true, force: true });
      expect(contentsOf(disk.path)).toEqual(before);
    }
  });
});

describe('a sandbox on a full disk', () => {
  /** The sandbox is created once and then copied, because creating the demo business is slow. */
  let template: string;
  beforeAll(async () => {
    template = newFolder();
    const { exitCode } = await spawnBoh(['sandbox', 'reset', '--yes'], { env: { BOH_CONFIG_DIR: template } });
    expect(exitCode).toBe(0);
  });

  let disk: SmallDisk | undefined;
  let folder: string;
  beforeEach(() => {
    disk = mountSmallDisk(8 * 1024);
    folder = join(disk?.path ?? newFolder(), 'boh');
    cpSync(template, folder, { recursive: true });
  });
  const boh = (line: string): Promise<BohResult> =>
    runBoh(line.split(' '), { env: { BOH_CONFIG_DIR: folder, TMPDIR: folder } });

  it.for([
    ['--sandbox suppliers create --name Late', 'not_sent'],
    ['sandbox reset --yes', undefined],
    ['sandbox snapshot save late', undefined],
    ['sandbox snapshot restore early --yes', undefined],
  ] as const)(
    'boh %s: fails, and the sandbox stays usable and unchanged',
    async ([line, outcome], { skip }) => {
      if (disk === undefined) return skip(needsRoot);
      expect((await boh('sandbox snapshot save early')).exitCode).toBe(0);
      const before = (await boh('--sandbox suppliers list')).stdout;
      disk.fill();
      const result = await boh(line);
      expect(result.exitCode, result.stderr).toBe(8);
      expect(failureOf(result)).toMatchObject({
        message: expect.stringMatching(/full|room/),
        ...(outcome && { outcome }),
      });
      // Existing data can be read on a full disk, and changed once it has space.
      expect((await boh('--sandbox suppliers list')).stdout).toBe(before);
      disk.empty();
      expect((await boh('sandbox check')).exitCode).toBe(0);
      expect((await boh('--sandbox suppliers list')).stdout).toBe(before);
      expect((await boh('--sandbox suppliers create --name Later')).exitCode).toBe(0);
      expect(readdirSync(join(folder, 'sandboxes', 'snapshots'))).toEqual(['early.sqlite']);
    },
  );

  it('a new sandbox: fails and leaves no file', async ({ skip }) => {
    if (disk === undefined) return skip(needsRoot);
    disk.fill(512);
    const result = await boh('--sandbox suppliers list');
    expect(result.exitCode).toBe(0);
    const newSandbox = await runBoh(['--sandbox', 'suppliers', 'list'], {
      env: { BOH_CONFIG_DIR: folder, BOH_SANDBOX: 'fresh' },
    });
    expect(newSandbox.exitCode, newSandbox.stderr).toBe(8);
    expect(readdirSync(join(folder, 'sandboxes')).filter((name) => name.includes('fresh'))).toEqual([]);
  });
});

describe('boh on a full disk', () => {
  it('list, completion and help: work without storing anything', async ({ skip }) => {
    const disk = mountSmallDisk(64);
    if (disk === undefined) return skip(needsRoot);
    disk.fill();
    const env = {
      HOME: disk.path,
      TMPDIR: disk.path,
      BOH_CONFIG_DIR: join(disk.path, 'boh'),
      XDG_CACHE_HOME: join(disk.path, 'cache'),
      BOH_TOKEN: 'a-token',
      BOH_BASE_URL: service.baseUrl(),
    };
    for (const line of [
      'suppliers list',
      '--help',
      'completion candidates 2 suppliers',
      'doctor',
      'auth scopes',
    ]) {
      const { stderr } = await spawnBoh(line.split(' '), { env });
      expect(stderr, line).not.toMatch(/bug|full|ENOSPC/);
    }
    expect((await spawnBoh(['suppliers', 'list'], { env })).exitCode).toBe(0);
    // Node leaves empty files in its compile cache; boh itself leaves none.
    const newFiles = Object.entries(contentsOf(disk.path)).filter(
      ([file, { length }]) => length > 0 || !file.includes('compiled'),
    );
    expect(newFiles).toEqual([]);
  });

  it('import: fails before a write is sent if its ledger cannot be created', async ({ skip }) => {
    const disk = mountSmallDisk(64);
    if (disk === undefined) return skip(needsRoot);
    const file = join(newFolder(), 'rows.csv');
    writeFileSync(file, 'name\nOne\nTwo\n');
    disk.fill();
    service.requests();
    const env = { BOH_CONFIG_DIR: join(disk.path, 'boh'), TMPDIR: disk.path };
    const result = await service.boh(['suppliers', 'import', file, '--mode', 'create', '--yes'], { env });
    expect(result.exitCode, result.stderr).toBe(8);
    expect(service.targets().filter((target) => !target.startsWith('GET'))).toEqual([]);
    expect(existsSync(join(disk.path, 'boh', 'config.json'))).toBe(false);
  });
});
