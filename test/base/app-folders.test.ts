/** Tests that boh uses no folder that another user controls. */
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { appFolder } from '../../src/base/app-folders.ts';
import { runBoh } from '../harness/run-boh.ts';

const isRoot = process.geteuid?.() === 0;
const otherUser = 12_345;

describe.skipIf(!isRoot)('root and the folder of another user (skipped unless run by root)', () => {
  let home: string;
  let otherUsersFolder: string;
  let ownFolder: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'boh-owner-'));
    otherUsersFolder = join(home, 'theirs');
    ownFolder = join(home, 'own');
    for (const folder of [otherUsersFolder, ownFolder]) mkdirSync(folder, { mode: 0o755 });
    writeFileSync(join(otherUsersFolder, 'config.json'), '{"version":1,"profiles":{},"defaults":{}}');
    for (const path of [otherUsersFolder, join(otherUsersFolder, 'config.json')])
      chownSync(path, otherUser, otherUser);
  });
  afterEach(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }));

  const refusal = (path = otherUsersFolder) => ({
    category: 'usage',
    message: `${path} belongs to another user, so boh doesn't use it.`,
    details: { hint: 'Run boh as that user, or set BOH_CONFIG_DIR to a folder of your own.' },
  });
  const folderOf = (folder: string) => appFolder({ BOH_CONFIG_DIR: folder }, 'data');

  test.each([
    'config set output json',
    '--sandbox suppliers list',
    '--sandbox suppliers create --name Fresh',
    'history',
    'runs list',
    'sandbox reset --yes',
  ])('boh %s: is refused, and changes nothing', async (line) => {
    const env = { BOH_CONFIG_DIR: otherUsersFolder };
    const { exitCode, stdout, stderr } = await runBoh(line.split(' '), { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(refusal().message);
    expect(readdirSync(otherUsersFolder)).toEqual(['config.json']);
  });

  test('help: is printed', async () => {
    const result = await runBoh(['suppliers', '--help'], { env: { BOH_CONFIG_DIR: otherUsersFolder } });
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test.each(['config', 'cache', 'data'] as const)('the %s folder: is refused', (kind) => {
    const find = () => appFolder({ BOH_CONFIG_DIR: otherUsersFolder }, kind);
    expect(find).toThrow(expect.objectContaining(refusal()));
  });

  test('a missing folder in the folder of the other user: is refused', () => {
    expect(() => folderOf(join(otherUsersFolder, 'deep', 'boh'))).toThrow(expect.objectContaining(refusal()));
  });

  test('a link to the folder of the other user: is refused', () => {
    const link = join(ownFolder, 'boh');
    symlinkSync(otherUsersFolder, link);
    expect(() => folderOf(join(link, 'missing'))).toThrow(expect.objectContaining(refusal()));
  });

  test('a link of the other user to a folder of root: is refused', () => {
    const link = join(otherUsersFolder, 'boh');
    symlinkSync(ownFolder, link);
    chownSync(otherUsersFolder, 0, 0);
    expect(folderOf(link)).toBe(link);
    chownSync(otherUsersFolder, otherUser, otherUser);
    expect(() => folderOf(link)).toThrow(expect.objectContaining(refusal()));
  });

  test('a user who is not root: uses folders of root and of this user, and no others', () => {
    const user = vi.spyOn(process, 'geteuid').mockReturnValue(otherUser);
    expect([folderOf(ownFolder), folderOf(otherUsersFolder)]).toEqual([ownFolder, otherUsersFolder]);
    user.mockReturnValue(otherUser + 1);
    expect(folderOf(ownFolder)).toBe(ownFolder);
    expect(() => folderOf(otherUsersFolder)).toThrow(expect.objectContaining(refusal()));
    user.mockRestore();
  });

  test('a folder of root: is used', async () => {
    const result = await runBoh(['config', 'set', 'output', 'json'], { env: { BOH_CONFIG_DIR: ownFolder } });
    expect(result).toMatchObject({ exitCode: 0 });
    expect(readdirSync(ownFolder)).toEqual(['config.json']);
  });
});
