import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { keys, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

/** Returns options with an empty settings folder of this name. */
const emptyConfig = (name: string, extraEnv: Record<string, string> = {}) => ({
  env: { BOH_CONFIG_DIR: `${demo.folder}/${name}`, ...extraEnv },
});

const question = 'Nothing is set up yet. What would you like to do?';

describe.concurrent('boh before any setup', () => {
  test('without arguments: shows one screen and asks how to begin', async () => {
    const terminal = demo.terminal('boh', emptyConfig('alone'));
    const screen = await terminal.waitFor(question);
    expect(screen.split('\n').length).toBeLessThan(24);
    expect(Math.max(...screen.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    terminal.types(keys.enter);
    await terminal.waitFor('Huda Al-Amin');
    expect(await terminal.ended()).toBe(0);
  });

  test('a command that needs an account: can be run in the sandbox instead, unchanged', async () => {
    const terminal = demo.terminal('boh suppliers list --name fresh', emptyConfig('line'));
    await terminal.waitFor(question);
    terminal.types(keys.enter);
    await terminal.waitFor('boh profiles add demo --sandbox');
    await terminal.waitFor('Fresh Farms');
    expect(await terminal.ended()).toBe(0);
  });

  test('a command that needs an account: offers to sign in', async () => {
    const terminal = demo.terminal('boh suppliers list', emptyConfig('sign-in'));
    await terminal.waitFor(question);
    terminal.types(keys.down, keys.enter);
    await terminal.waitFor('Which service do you use?');
    terminal.types(keys.ctrlC);
    expect(await terminal.ended()).toBe(130);
  });

  test('neither sandbox nor sign-in: exits with 2 and shows how to begin', async () => {
    const terminal = demo.terminal('boh suppliers list', emptyConfig('neither'));
    await terminal.waitFor(question);
    terminal.types(keys.down, keys.down, keys.enter);
    await terminal.waitFor('boh auth login');
    expect(await terminal.ended()).toBe(2);
  });

  test.for([
    ['with --no-input', 'boh suppliers list --no-input', emptyConfig('no-input')],
    ['in CI', 'boh suppliers list', emptyConfig('ci', { CI: 'true' })],
    ['with output into a pipe', 'boh suppliers list | cat; exit 2', emptyConfig('pipe')],
    ['with --yes', 'boh suppliers list --yes', emptyConfig('yes')],
  ] as const)('%s: asks nothing', async ([, line, options]) => {
    const terminal = demo.terminal(line, options);
    expect(await terminal.ended()).toBe(2);
    expect(terminal.text()).not.toContain(question);
    expect(terminal.text()).toContain('No service URL is set.');
  });
});

describe('a mistyped word', () => {
  test.for([
    ['items list', 'inventory-items'],
    ['stock', 'inventory-items'],
    ['login', 'auth login'],
    ['customers show', 'get'],
    ['customers add', 'create'],
    ['tags list --type custmer', 'customer'],
    ['customers create --gender femal', 'female'],
    ['config set output tabel', 'table'],
    ['suppliers import x.csv --mode upsrt', 'upsert'],
    ['suppliers upsert --key nme', 'name'],
    ['customers update x --clear emial', 'email'],
  ] as const)('boh %s: suggests "%s"', async ([line, suggestion]) => {
    const result = await demo.boh(line);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toMatch(new RegExp(`[Dd]id you mean "${suggestion}"\\?`));
  });

  test('in a list that services extend, with --strict-values: names the nearest known value', async () => {
    const result = await demo.boh('roles create --name X --authorities menu:manag --strict-values');
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain('the nearest known value is "menu:manage"');
  });

  test('in a JSON body: suggests the number of the value', async () => {
    const result = await demo.boh('customers create --data {"gender":"femal"}');
    expect(result.stderr).toContain('did you mean 2?');
  });
});
