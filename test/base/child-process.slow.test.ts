/** Tests that other programs get the environment without its secrets. */
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { outputOf, secretsIn, startShell, withoutSecretVariables } from '../../src/base/child-process.ts';

const env = {
  PATH: process.env.PATH,
  BOH_TOKEN: 'canary-token',
  BOH_CLIENT_SECRET: 'canary-secret',
  PGPASSWORD: 'canary-password',
  BOH_MIRROR: 'postgres://me:canary%2Dmirror@db.example/boh',
  COPIED: 'x canary-token x',
  KEPT: 'kept',
};

test('startShell: passes neither secret variables nor other variables that contain a secret', async () => {
  const child = startShell('env', [], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const environment = child.stdout ? await text(child.stdout) : '';
  expect(environment).toContain('KEPT=kept');
  expect(environment).not.toContain('canary');
});

test('outputOf: passes no secrets', () => {
  const environment = outputOf('env', [], { env, timeoutMs: 60_000 });
  expect(environment).toContain('KEPT=kept');
  expect(environment).not.toContain('canary');
});

test('secretsIn: returns the password of a mirror as written and decoded', () => {
  expect(secretsIn(env).map(({ value }) => value)).toEqual([
    ...['canary-token', 'canary-secret', 'canary%2Dmirror', 'canary-mirror', 'canary-password'],
  ]);
});

test('withoutSecretVariables: removes secret variables during the work, then restores them', async () => {
  const before = process.env.BOH_TOKEN;
  process.env.BOH_TOKEN = 'canary-token';
  try {
    expect(await withoutSecretVariables(async () => process.env.BOH_TOKEN)).toBeUndefined();
    await expect(withoutSecretVariables(async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(process.env.BOH_TOKEN).toBe('canary-token');
  } finally {
    if (before === undefined) delete process.env.BOH_TOKEN;
    else process.env.BOH_TOKEN = before;
  }
});
