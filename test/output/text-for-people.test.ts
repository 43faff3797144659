import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configFolder } from '../harness/home-folder.ts';
import { runBoh } from '../harness/run-boh.ts';

const lines = ['explain customers.gender', 'explain', 'version', 'doctor', 'suppliers list --columns ?'];
const stdoutOf = async (line: string, env = {}) => (await runBoh(line.split(' '), { env })).stdout;

describe('commands with text for people', () => {
  test.each(lines)('`boh %s` prints text through a pipe', async (line) => {
    const text = await stdoutOf(line);
    expect(text).not.toMatch(/^[[{]/);
    expect(text).toMatch(/\w+ \S+|\nname\n/);
  });

  test.each(lines)('`boh %s` prints JSON with -o json and with BOH_OUTPUT=json', async (line) => {
    expect(JSON.parse(await stdoutOf(`${line} -o json`))).toBeTruthy();
    expect(JSON.parse(await stdoutOf(line, { BOH_OUTPUT: 'json' }))).toBeTruthy();
  });

  test('version: prints text even if the settings are invalid', async () => {
    const result = await runBoh(['version'], { env: { BOH_OUTPUT: 'nonsense' } });
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toMatch(/^boh /);
  });
});

describe('help', () => {
  test.each(['--help', 'help', 'suppliers --help', 'suppliers create --help', 'help suppliers', 'auth'])(
    '`boh %s` prints text, or structured data if the command line names a format',
    async (line) => {
      expect(await stdoutOf(line, { BOH_OUTPUT: 'json' })).toMatch(/^\S.*\n/);
      expect(await stdoutOf(line, { BOH_OUTPUT: 'json' })).not.toMatch(/^[[{]/);
      expect(JSON.parse(await stdoutOf(`${line} -o json`))).toBeTruthy();
    },
  );

  test('structured data has every flag with its description', async () => {
    const { usage, flags } = JSON.parse(await stdoutOf('suppliers create --help --json'));
    expect(usage).toContain('suppliers create');
    expect(flags).toContainEqual({ flags: '--name <text>', about: expect.any(String) });
    expect(JSON.parse(await stdoutOf('--help --json'))).toContainEqual(
      expect.objectContaining({ name: 'suppliers', group: 'inventory' }),
    );
  });
});

describe('plain text', () => {
  test('stays plain text unless the command line itself names a format', async () => {
    expect(await stdoutOf('config path', { BOH_OUTPUT: 'json' })).toBe(
      `${join(configFolder, 'config.json')}\n`,
    );
    expect(JSON.parse(await stdoutOf('config path -o json'))).toBe(join(configFolder, 'config.json'));
    const token = { BOH_TOKEN: 'a-token', BOH_BASE_URL: 'https://api.example.com' };
    // A token is always printed as text, because a program reads it.
    expect(await stdoutOf('auth token -o json', token)).toBe('a-token\n');
  });
});
