/** `boh config` reads and changes settings by name, for one profile or for all. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';

const newFolder = temporaryFolders();
let folder: string;
beforeEach(() => {
  folder = newFolder();
});

function boh(line: string, env: Record<string, string> = {}) {
  return runBoh(line.split(' '), { env: { BOH_CONFIG_DIR: folder, ...env } });
}

const file = () => join(folder, 'config.json');

it('boh config path: prints the path, even if the file is invalid', async () => {
  expect((await boh('config path')).stdout).toBe(`${file()}\n`);
  writeFileSync(file(), '{', { mode: 0o600 });
  expect((await boh('config path', { BOH_OUTPUT: 'nonsense' })).stdout).toBe(`${file()}\n`);
});

describe('boh config get', () => {
  it('prints the plain value, or JSON with --json', async () => {
    expect((await boh('config get timeout')).stdout).toBe('30\n');
    await boh('profiles add shop --base-url https://shop.example --scopes a,b');
    expect((await boh('config get base_url')).stdout).toBe('https://shop.example\n');
    expect((await boh('config get scopes')).stdout).toBe('a b\n');
    expect(JSON.parse((await boh('config get scopes --json')).stdout)).toEqual(['a', 'b']);
  });

  it('a setting without a value: exits with 5', async () => {
    expect((await boh('config get base_url')).exitCode).toBe(5);
  });

  it.each([
    ['bese_url', 'base_url'],
    ['token', 'boh auth login --with-token'],
    ['client_secret', 'BOH_CLIENT_SECRET'],
  ])('%s: is refused with the hint %s', async (name, hint) => {
    const result = await boh(`config get ${name}`);
    expect(result.exitCode).toBe(2);
    expect(failureOf(result).hint).toContain(hint);
  });
});

describe('boh config set and unset', () => {
  it('change the active profile, and preferences of all profiles', async () => {
    await boh('profiles add shop --base-url https://shop.example');
    expect((await boh('config set api_prefix v5')).stderr).toBe('api_prefix of profile shop is /v5.\n');
    expect((await boh('config set timeout 90s')).stderr).toBe('timeout is 90, the default.\n');
    const stored = JSON.parse(readFileSync(file(), 'utf8'));
    expect(stored).toMatchObject({ profiles: { shop: { api_prefix: '/v5' } }, defaults: { timeout: 90 } });
    expect((await boh('config unset api_prefix')).exitCode).toBe(0);
    expect((await boh('config unset timeout')).stderr).toBe('timeout is 30, the default.\n');
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({
      profiles: { shop: { base_url: 'https://shop.example' } },
      defaults: {},
    });
  });

  it('change the named profile', async () => {
    await boh('profiles add shop');
    await boh('profiles add cafe');
    await boh('config set output csv --profile cafe');
    expect((await boh('config get output --profile cafe')).stdout).toBe('csv\n');
    expect((await boh('config get output')).exitCode).toBe(5);
  });

  it('report the source that takes precedence over the changed setting', async () => {
    const { stderr } = await boh('config set output csv', { BOH_OUTPUT: 'json' });
    expect(stderr).toBe('output is json, from the environment.\n');
  });

  it.each([
    ['set output xml', 'one of table, json'],
    ['set timeout never', 'Expected a time'],
    ['set base_url https://shop.example', 'can only be set in a profile'],
    ['set api_prefix v5 --profile gone', 'Profile "gone" not found'],
    ['set token abc', 'Unknown setting "token"'],
    ['set', 'config set needs <setting> and <value>.'],
    ['set output', 'config set needs <value>.'],
  ])('%s: is refused', async (line, message) => {
    const result = await boh(`config ${line}`);
    expect(result.exitCode).toBe(2);
    expect(failureOf(result).message).toContain(message);
  });
});

it('boh config list: shows the source of each value', async () => {
  await boh('profiles add shop --base-url https://shop.example');
  const { stdout } = await boh('config list --timeout 7', { BOH_API_PREFIX: '/v5' });
  const rows: { name: string; value: unknown; source: unknown }[] = JSON.parse(stdout);
  const settings = Object.fromEntries(rows.map(({ name, value, source }) => [name, [value, source]]));
  expect(settings).toMatchObject({
    base_url: ['https://shop.example', 'profile'],
    api_prefix: ['/v5', 'environment'],
    timeout: [7, 'flag'],
    'wire.filter_style': ['bracket', 'default'],
    client_id: [null, null],
  });
});

it('boh config set with a damaged file: renames the file, and the message contains the new name', async () => {
  const damaged = '{"version":1,"profiles":{"shop":{"token":"canary-tok';
  writeFileSync(file(), damaged, { mode: 0o600 });
  const result = await boh('config set timeout 5');
  expect(result.exitCode).toBe(2);
  expect(result.stderr).not.toContain('canary');
  const [renamed = ''] = readdirSync(folder).filter((name) => name.includes('damaged'));
  expect(failureOf(result).message).toContain(renamed);
  expect(readFileSync(join(folder, renamed), 'utf8')).toBe(damaged);
  expect((await boh('config set timeout 5')).exitCode).toBe(0);
});
