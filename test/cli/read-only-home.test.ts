/** Uses a home folder that cannot be written: commands work, skip what they cannot store, and report each file once. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serve, type TestService } from '../harness/serve.ts';
import { mountSmallDisk, needsRoot, type SmallDisk } from '../harness/small-disk.ts';
import { program, spawnBoh } from '../harness/spawn-boh.ts';

let service: TestService;
let folder: string;
beforeAll(async () => {
  const page = { data: [], links: { next: null } };
  service = await serve({
    'GET /tags': page,
    'POST /tags': { data: { id: '7', name: 'A' } },
    'GET /whoami': { data: { user: { id: 'me' }, business: { id: 'b' } } },
  });
  folder = mkdtempSync(join(tmpdir(), 'boh-read-only-'));
  writeFileSync(join(folder, 'rows.csv'), 'name,type\nA,customer\n');
  writeFileSync(join(folder, 'tags.yaml'), 'tags:\n  - name: A\n    type: customer\n');
  writeFileSync(join(folder, 'file'), '');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service.close();
});

function readOnlyDisk(context: { skip(reason: string): void }, prepare?: (disk: SmallDisk) => void): string {
  const disk = mountSmallDisk(256);
  if (!disk) {
    context.skip(needsRoot);
    return '';
  }
  prepare?.(disk);
  disk.makeReadOnly();
  return disk.path;
}

const pathOf = (name: string) => join(folder, name);

async function boh(home: string, line: string, env: Record<string, string> = {}) {
  service.takeRequests();
  const result = await spawnBoh(line.split(' '), {
    env: { HOME: home, BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl, ...env },
  });
  const writes = service.takeRequests().filter((target) => !target.startsWith('GET '));
  return { ...result, writes };
}

const homes: Record<string, (context: { skip(reason: string): void }) => string> = {
  'is on a disk that is read-only': (context) => readOnlyDisk(context),
  'is on a disk that is read-only and full, where boh has written before': (context) =>
    readOnlyDisk(context, (disk) => {
      for (const name of ['locks', 'accounts'])
        mkdirSync(join(disk.path, '.local/share/boh', name), { recursive: true, mode: 0o700 });
      disk.fill();
    }),
  'is a file': () => pathOf('file'),
  'does not exist, below a file': () => join(pathOf('file'), 'home'),
  'is /dev/null': () => '/dev/null',
};

describe.each(Object.entries(homes))('a home that %s', (_, createHome) => {
  test('reading: works, and prints no warning', async (context) => {
    const result = await boh(createHome(context), 'tags list -o ndjson');
    expect([result.exitCode, result.stderr]).toEqual([0, '']);
  });

  test.for(['--no-ledger', '--ledger FILE'])(
    'import and apply %s: send their writes, and report what is not stored',
    async (flag, context) => {
      const home = createHome(context);
      for (const line of [
        `tags import ${pathOf('rows.csv')} --key name --rate 600/min`,
        `apply ${pathOf('tags.yaml')}`,
      ]) {
        const ledger = join(folder, `${Math.random()}.sqlite`);
        const result = await boh(home, `${line} --yes ${flag.replace('FILE', ledger)}`);
        expect([result.exitCode, result.writes], result.stderr).toEqual([0, ['POST /tags']]);
        const warnings = result.stderr.split('\n').filter((text) => text.startsWith('boh: warning:'));
        expect(warnings).toHaveLength(2);
        expect(warnings.join('\n')).toMatch(
          /Other runs in this account at the same time can't be detected: The lock .*\n.*The history .* but not recorded in it\./,
        );
      }
    },
  );

  test('import and apply without a ledger: send nothing, and name the flags', async (context) => {
    const home = createHome(context);
    for (const line of [`tags import ${pathOf('rows.csv')} --key name`, `apply ${pathOf('tags.yaml')}`]) {
      const result = await boh(home, `${line} --yes`);
      expect([result.exitCode, result.writes]).toEqual([8, []]);
      expect(result.stderr).toContain('--no-ledger');
      expect(result.stderr).toContain('"outcome":"not_sent"');
    }
  });

  test('dry run: shows its plan, also without a folder for temporary files', async (context) => {
    const home = createHome(context);
    const result = await boh(home, `tags import ${pathOf('rows.csv')} --key name --dry-run`, {
      TMPDIR: home,
    });
    expect([result.exitCode, result.writes], result.stderr).toEqual([0, []]);
    expect(result.stdout).toContain('"action":"create"');
  });

  test('config set: fails and names the cause', async (context) => {
    const result = await boh(createHome(context), 'config set output json');
    expect([result.exitCode, result.stderr]).toEqual([8, expect.stringMatching(/read-only|file/)]);
  });
});

test('settings on a read-only disk: are read, and config set fails at once', async (context) => {
  const home = readOnlyDisk(context, ({ path }) => {
    mkdirSync(join(path, '.config/boh'), { recursive: true, mode: 0o700 });
    const config = { version: 1, profiles: {}, defaults: { output: 'ndjson' } };
    writeFileSync(join(path, '.config/boh/config.json'), JSON.stringify(config), { mode: 0o600 });
  });
  expect((await boh(home, 'tags list')).exitCode).toBe(0);
  const result = await boh(home, 'config set output json');
  expect([result.exitCode, result.stderr]).toEqual([8, expect.stringContaining('the disk is read-only')]);
});

test.runIf(process.geteuid?.() === 0)('a user whose home folder is not defined: can run boh', () => {
  const env = { PATH: process.env.PATH ?? '', BOH_TOKEN: 'a-token', BOH_BASE_URL: 'http://127.0.0.1:1' };
  const line = [
    '--reuid',
    '54321',
    '--regid',
    '54321',
    '--clear-groups',
    ...program,
    'suppliers',
    'create',
    '--name',
    'x',
    '--dry-run',
  ];
  expect(JSON.parse(execFileSync('setpriv', line, { env, cwd: '/', encoding: 'utf8' }))).toMatchObject({
    method: 'POST',
  });
});
