/** Checks the files of the guide with the programs that read them, and runs their commands against a sandbox. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { workflowProblems } from '../../scripts/checks/workflows.ts';
import { openPageWorkspace, type PageWorkspace, readPage } from './page-commands.ts';

const page = readPage('guides/run-on-a-schedule.md');

function blocks(language: string): string[] {
  const matches = [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))];
  expect(matches.length).toBeGreaterThan(0);
  return matches.map(([, block = '']) => block);
}

const isInstalled = (program: string) =>
  spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;

/** Each recipe runs on several nights. */
const nights = [1, 2, 3];

let workspace: PageWorkspace;
beforeAll(async () => {
  workspace = await openPageWorkspace();
  mkdirSync(join(workspace.folder, 'state/boh'), { recursive: true });
  writeFileSync(join(workspace.folder, 'suppliers.csv'), 'name,code\nNight Farms,NIGHT-1\n');
  writeFileSync(join(workspace.folder, 'menu.yaml'), 'categories:\n  - { name: Night, reference: night }\n');
});
afterAll(() => workspace.close());

/** Runs a command line in the folder, with the account in the environment unless it reads its own. */
function sh(line: string, env: Record<string, string> = workspace.env): string {
  return execFileSync('sh', ['-euc', line], { cwd: workspace.folder, env, encoding: 'utf8', stdio: 'pipe' });
}

const withoutAccount = () => ({ HOME: workspace.folder, PATH: workspace.env.PATH ?? '' });

/** Puts a program with this name first in PATH. */
function substitute(name: string, script: string): void {
  const file = join(workspace.folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

test('the file with the token: is readable only by its owner', () => {
  for (const block of blocks('sh')) sh(block);
  expect(sh('stat -c %a boh.env')).toBe('600\n');
  expect(readFileSync(join(workspace.folder, 'boh.env'), 'utf8')).toContain('BOH_TOKEN=');
});

describe('systemd', () => {
  const units = () =>
    blocks('ini').map((block) => {
      const [, file = ''] = /^# \/etc\/systemd\/system\/(\S+)/.exec(block) ?? [];
      return { file, text: block };
    });

  test.skipIf(!isInstalled('systemd-analyze'))(
    'the units: systemd-analyze verify finds nothing (skipped without systemd-analyze)',
    () => {
      const folder = join(workspace.folder, 'units');
      mkdirSync(folder);
      const program = join(workspace.folder, 'boh');
      for (const { file, text } of units())
        writeFileSync(join(folder, file), text.replaceAll('/usr/bin/boh', program));
      const paths = units().map(({ file }) => join(folder, file));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, SYSTEMD_UNIT_PATH: `${folder}:` },
      });
      // systemd-analyze also reads the units of the machine; only findings in boh's units count.
      const bohFindings = stderr.split('\n').filter((line) => line.includes('boh-nightly'));
      expect([status, bohFindings]).toEqual([0, []]);
    },
  );

  test('the commands of the service: run with the account of its environment file', () => {
    const [service] = units();
    const commands = [...(service?.text ?? '').matchAll(/^ExecStart=\/usr\/bin\/(.*)$/gm)];
    expect(commands).toHaveLength(2);
    for (const _ of nights)
      for (const [, command = ''] of commands)
        sh(
          `set -a; . ./boh.env; ${command.replaceAll('%S', join(workspace.folder, 'state'))}`,
          withoutAccount(),
        );
    for (const file of ['customers.watermark', 'customers.ndjson', 'mirror.sqlite'])
      expect(existsSync(join(workspace.folder, 'state/boh', file))).toBe(true);
  });
});

describe('cron', () => {
  test.skipIf(!isInstalled('crontab'))('the crontab: has no errors (skipped without crontab)', () => {
    const file = join(workspace.folder, 'crontab.txt');
    writeFileSync(file, blocks('crontab').join('\n'));
    expect(spawnSync('crontab', ['-n', file], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining('error'),
    });
  });

  test('its command: writes the export of the day, and prints nothing', () => {
    const [, command = ''] = /^\d.*?\* \* \* (.*)$/m.exec(blocks('crontab')[0] ?? '') ?? [];
    for (const _ of nights) expect(sh(command.replaceAll('\\%', '%'), withoutAccount())).toBe('');
    expect(sh('ls customers-*.csv')).toMatch(/^customers-\d{4}-\d\d-\d\d\.csv\n$/);
  });
});

test('the container: runs the import each night, and leaves the ledger in the mounted folder', () => {
  // There is no container runtime: the words after the image run here, with the flags that the image was tested with.
  substitute(
    'docker',
    `while [ "$1" != boh:0.1.0 ]; do echo "$1" >> docker-flags; [ "$1" != --env-file ] || { set -a; . "./$2"; }; shift; done; shift; exec boh "$@"`,
  );
  const file = join(workspace.folder, 'suppliers.csv');
  const importAll = () =>
    blocks('docker')
      .map((block) => sh(block, withoutAccount()))
      .join('');
  const namesOf = () => sh('boh suppliers list --code NIGHT-1,NIGHT-2 --query "[].name" -o json');
  for (const _ of nights) importAll();
  expect(namesOf()).toBe('[\n  "Night Farms"\n]\n');
  writeFileSync(file, 'name,code\nNight Farms,NIGHT-1\nSecond,NIGHT-2\n');
  importAll();
  writeFileSync(file, 'name,nonsense\n"Night Farms\n');
  expect(importAll).toThrow(/exit_code":2/);
  writeFileSync(file, 'name,code\nThird,NIGHT-2\n');
  importAll();
  expect(JSON.parse(namesOf()).sort()).toEqual(['Night Farms', 'Third']);
  const flags = readFileSync(join(workspace.folder, 'docker-flags'), 'utf8');
  for (const flag of ['--read-only', '--tmpfs', '--user', '--volume']) expect(flags).toContain(`${flag}\n`);
  expect(existsSync(join(workspace.folder, 'suppliers.ledger'))).toBe(true);
});

test('the workflow: is safe, and its steps run', () => {
  const [text = ''] = blocks('yaml');
  const [, file = ''] = /^# (\S+)/.exec(text) ?? [];
  expect(workflowProblems(file, text)).toEqual([]);
  // npm would need a repository of its own; npx runs the program that it would have installed.
  substitute('npm', 'exit 0');
  substitute('npx', 'exec "$@"');
  const jobs = Object.values(parse(text).jobs) as { steps: { run?: string }[] }[];
  const runJobs = () => {
    for (const { steps } of jobs) for (const { run } of steps) if (run) sh(run);
  };
  const menu = readFileSync(join(workspace.folder, 'menu.yaml'), 'utf8');
  for (const _ of nights) runJobs();
  writeFileSync(join(workspace.folder, 'menu.yaml'), 'categories: [\n');
  expect(runJobs).toThrow();
  writeFileSync(join(workspace.folder, 'menu.yaml'), menu.replace('name: Night', 'name: Nights'));
  runJobs();
  expect(sh('boh categories list --reference night --query "[].name" -o json')).toContain('Night');
  expect(basename(file)).toBe('nightly.yml');
});
