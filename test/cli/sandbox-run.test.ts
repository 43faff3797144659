/** `boh sandbox run -- COMMAND`: a fresh sandbox for one command, whose streams, exit code and signals pass through. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import { launcherFile, spawnBoh } from '../harness/spawn-boh.ts';

const node = process.execPath;
const run = (code: string, options = {}, ...flags: string[]) =>
  spawnBoh(['sandbox', 'run', ...flags, '--', node, '-e', code], options);

/** The number of customers that the command finds. */
const countCustomers = `
  fetch(process.env.BOH_BASE_URL + '/customers', { headers: { authorization: 'Bearer ' + process.env.BOH_TOKEN } })
    .then((answer) => answer.json())
    .then(({ meta }) => console.log(meta.total));`;

describe('boh sandbox run', () => {
  it('gives the command an address and a token', async () => {
    const { stdout, exitCode } = await run(countCustomers);
    expect([stdout, exitCode]).toEqual(['200\n', 0]);
  });

  it('is enough for boh itself, whatever else was set', async () => {
    const env = {
      BOH_SANDBOX: 'other',
      BOH_API_PREFIX: '/v9',
      BOH_BASE_URL: 'http://127.0.0.1:1',
      BOH_TOKEN: 'x',
    };
    const argv = ['sandbox', 'run', '--', node, launcherFile, 'suppliers', 'list', '-o', 'id'];
    const { stdout, exitCode } = await spawnBoh(argv, { env });
    expect(exitCode).toBe(0);
    expect(stdout.trim().split('\n').length).toBeGreaterThan(5);
  });

  it('gives the command no secret of another service', async () => {
    const env = { BOH_TOKEN: 'canary', BOH_CLIENT_ID: 'canary', BOH_CLIENT_SECRET: 'canary' };
    const { stdout } = await run('console.log(JSON.stringify(process.env))', { env });
    expect(JSON.parse(stdout)).toMatchObject({ BOH_TOKEN: expect.stringMatching(/./) });
    expect(stdout).not.toContain('canary');
  });

  it('ends with the command’s exit code', async () => {
    expect((await run('process.exit(7)')).exitCode).toBe(7);
  });

  it('ends with 128 and the signal that ended the command', async () => {
    expect((await run('process.kill(process.pid, "SIGKILL")')).exitCode).toBe(137);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('passes %s on and waits for the command', async (signal) => {
    const code = `
      process.on('${signal}', () => { console.log('got it'); process.exit(3); });
      setInterval(() => {}, 1000);
      console.log('ready');`;
    const { stdout, exitCode } = await run(code, { killAt: 'ready', signal });
    expect([stdout, exitCode]).toEqual(['ready\ngot it\n', 3]);
  });

  it('hands over standard input, and flags that look like its own', async () => {
    const code = 'process.stdin.pipe(process.stdout); console.error(process.argv.slice(1).join(" "))';
    const argv = ['sandbox', 'run', '--', node, '-e', code, '--', '--name', 'x', '-o', 'json'];
    const { stdout, stderr } = await spawnBoh(argv, { stdin: 'through' });
    expect([stdout, stderr]).toEqual(['through', '--name x -o json\n']);
  });

  it('can begin empty, or with a copy of another sandbox, and leaves that and nothing behind', async () => {
    expect((await run(countCustomers, {}, '--empty')).stdout).toBe('0\n');
    const env = { BOH_SANDBOX: 'source' };
    await spawnBoh(['--sandbox', 'customers', 'create', '--name', 'One More'], { env });
    const folder = mkdtempSync(join(tmpdir(), 'boh-run-'));
    const inFolder = { env: { TMPDIR: folder, TEMP: folder } };
    expect((await run(countCustomers, inFolder, '--name', 'source')).stdout).toBe('201\n');
    expect(readdirSync(folder).filter((name) => name.startsWith('boh-'))).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it.each([
    [['run'], 'missing required argument'],
    [['run', '--', 'no-such-program'], 'There is no program no-such-program.'],
    [['run', '--name', 'nowhere', '--', 'true'], 'There is no sandbox "nowhere".'],
  ])('refuses %j', async (args, message) => {
    const { exitCode, stderr } = await runBoh(['sandbox', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr.toLowerCase()).toContain(message.toLowerCase());
  });
});
