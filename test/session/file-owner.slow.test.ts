/**
 * Tests every kind of file that the user names and that belongs to an account. With the token of another or an unknown
 * account, no part of the file is read, written or deleted.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { serveTwoBusinesses, supplier } from '../harness/two-businesses.ts';

const { businesses, requests, boh, folder, baseUrl } = serveTwoBusinesses();

interface FileCommand {
  /** The command that uses the file, for titles. */
  command: string;
  /** Creates the file with a token. Returns the argument that identifies it, such as the ID of a run. */
  createFile(token: string): Promise<string>;
  /** Returns the command line that uses the file. */
  lineFor(argument: string): string;
  /** The exit code of the command line with the override; the default is 0. */
  exitCode?: number;
  /** The command that the message suggests, if --any-account doesn't override the check for another account. */
  suggestedCommand?: string;
}

const backupLine = 'backup FOLDER/backup --resource suppliers';
const exportLine = 'suppliers export --since FOLDER/mark --to FOLDER/out.csv';

async function runLine(token: string, line: string, exitCode = 0): Promise<string> {
  const result = await boh(token, line);
  expect({ line, ...result }).toMatchObject({ exitCode });
  return result.stdout;
}

const stopFlags = '--yes --max-errors 0 --concurrency 1';
const importLine = 'suppliers import FOLDER/suppliers.csv --mode update';

/** Runs an import that stops at its first row. Returns the ID of the run. */
async function createUnfinishedRun(token: string): Promise<string> {
  await runLine(token, `${importLine} ${stopFlags}`, 9);
  const [{ id, state }] = JSON.parse(await runLine(token, 'runs list -o json'));
  expect(state).toBe('unfinished');
  return id;
}

const mirror = '--to sqlite:FOLDER/mirror.sqlite';

async function createMirror(token: string): Promise<string> {
  await runLine(token, `mirror sync --resource suppliers ${mirror}`);
  return '';
}

const fileCommands: FileCommand[] = [
  {
    command: 'runs resume',
    createFile: createUnfinishedRun,
    lineFor: (id) => `runs resume ${id} --yes`,
    exitCode: 9,
  },
  {
    command: 'runs resume --dry-run',
    createFile: createUnfinishedRun,
    lineFor: (id) => `runs resume ${id} --dry-run`,
  },
  { command: 'runs show', createFile: createUnfinishedRun, lineFor: (id) => `runs show ${id}` },
  { command: 'backup', createFile: (token) => runLine(token, backupLine), lineFor: () => backupLine },
  {
    command: 'backup --since-last',
    createFile: (token) => runLine(token, backupLine),
    lineFor: () => `${backupLine} --since-last`,
  },
  { command: 'export --since', createFile: (token) => runLine(token, exportLine), lineFor: () => exportLine },
  {
    command: 'apply --plan',
    createFile: (token) => runLine(token, 'plan FOLDER/m.yaml --out FOLDER/plan'),
    lineFor: () => 'apply --plan FOLDER/plan --yes',
  },
  {
    command: 'apply --plan --dry-run',
    createFile: (token) => runLine(token, 'plan FOLDER/m.yaml --out FOLDER/plan'),
    lineFor: () => 'apply --plan FOLDER/plan --dry-run',
  },
  {
    command: 'mirror sync',
    createFile: createMirror,
    lineFor: () => `mirror sync --resource suppliers ${mirror}`,
    suggestedCommand: 'boh mirror reset --to sqlite:FOLDER/mirror.sqlite --any-account',
  },
  {
    command: 'mirror sync --exclude',
    createFile: createMirror,
    lineFor: () => `mirror sync --resource suppliers --exclude suppliers.phone ${mirror}`,
    suggestedCommand: 'boh mirror reset --to sqlite:FOLDER/mirror.sqlite --any-account',
  },
  {
    command: 'mirror diff',
    createFile: createMirror,
    lineFor: () => `mirror diff --resource suppliers ${mirror}`,
  },
  {
    command: 'mirror forget',
    createFile: createMirror,
    lineFor: () => `mirror forget suppliers 1 --yes ${mirror}`,
  },
  { command: 'mirror reset', createFile: createMirror, lineFor: () => `mirror reset --yes ${mirror}` },
];

/** The token that creates the file, and the token that uses it. */
const ownerCases = [
  { match: 'of another account', creator: 'north', user: 'south' },
  {
    match: 'whose account may be another, because the token in use may not read its account',
    creator: 'north',
    user: 'untold',
  },
  { match: 'of an unknown account', creator: 'untold', user: 'south' },
  {
    match: 'of an unknown account, with a token that may not read its account',
    creator: 'untold',
    user: 'secret',
  },
];

beforeEach(() => {
  businesses.untold = { id: 9, supplier: supplier(), cannotReadWhoami: true };
  businesses.secret = { id: 10, supplier: supplier(), cannotReadWhoami: true };
  for (const business of Object.values(businesses))
    business.second = { ...supplier(), id: '2', name: 'Quarry', code: 'Q' };
  writeFileSync(join(folder(), 'suppliers.csv'), 'id,name\n2,Stone\n1,Meadow\n');
  writeFileSync(join(folder(), 'm.yaml'), 'suppliers:\n  - code: F\n    name: Orchard\n');
  const manifestText = 'suppliers:\n  - code: Q\n    name: Stone\n  - code: F\n    name: Orchard\n';
  writeFileSync(join(folder(), 'both.yaml'), manifestText);
});

/** Returns the content of all files in the folder by path, except the configuration folder and the mirror's database. */
function readFiles(): Record<string, string> {
  const entries = readdirSync(folder(), { recursive: true, withFileTypes: true });
  const files = entries.filter(
    (entry) => entry.isFile() && !entry.parentPath.includes('config') && !entry.name.startsWith('mirror.'),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name), 'utf8'),
    ]),
  );
}

/** Returns the runs, the history of an account and the state of the mirror as JSON. */
async function readAccountFiles(token: string): Promise<unknown> {
  const lines = ['runs list -o json', 'history -o json', `mirror status -o json --max-age 900 ${mirror}`];
  const outputs = await Promise.all(lines.map(async (line) => (await boh(token, line)).stdout));
  // The age of a mirror changes with time.
  return outputs.map((text) => text.replaceAll(/"age": \d+/g, ''));
}

describe.each(fileCommands)('$command', ({ createFile, lineFor, exitCode = 0, suggestedCommand }) => {
  test.each(['north', 'untold'])('accepts a file of the same token: %s', async (token) => {
    const line = lineFor(await createFile(token));
    expect({ line, ...(await boh(token, line)) }).toMatchObject({ exitCode });
  });

  test.each(ownerCases)(
    'refuses a file $match, and accepts it with --any-account',
    async ({ creator, user }) => {
      const line = lineFor(await createFile(creator));
      const [files, accountFiles, records] = [
        readFiles(),
        await readAccountFiles(creator),
        structuredClone(businesses),
      ];
      requests[user] = [];
      const refusedResult = await boh(user, line);
      expect({ line, ...refusedResult }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refusedResult.stderr).toContain('--any-account');
      expect(requests[user].filter((request) => request !== 'GET /whoami')).toEqual([]);
      expect(businesses).toEqual(records);
      expect(readFiles()).toEqual(files);
      expect(await readAccountFiles(creator)).toEqual(accountFiles);

      const canOverride = suggestedCommand === undefined || user === 'untold' || creator === 'untold';
      const overriddenResult = await boh(user, `${line} --any-account`);
      expect({ line, ...overriddenResult }).toMatchObject({ exitCode: canOverride ? exitCode : 2 });
      if (!canOverride)
        expect(overriddenResult.stderr).toContain(suggestedCommand.replace('FOLDER', folder()));
    },
  );
});

describe('backup restore', () => {
  test('matches records by ID only if the backup belongs to the account in use', async () => {
    await runLine('north', backupLine);
    const dryRunLine = 'backup restore FOLDER/backup --dry-run';
    expect((await boh('north', dryRunLine)).stderr).toContain('to the same account');
    expect((await boh('south', dryRunLine)).stderr).not.toContain('to the same account');
    const refusedResult = await boh('untold', dryRunLine);
    expect(refusedResult).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refusedResult.stderr).toContain('--any-account');
    const overriddenResult = await boh('untold', `${dryRunLine} --any-account`);
    expect(overriddenResult).toMatchObject({ exitCode: 0 });
    expect(overriddenResult.stderr).not.toContain('to the same account');
  });
});

describe('--any-account with a file of another account', () => {
  test('export --since: exports all records and stores the account in use', async () => {
    await runLine('north', exportLine);
    await runLine('south', `${exportLine} --any-account`);
    expect(JSON.parse(readFileSync(join(folder(), 'mark'), 'utf8'))).toMatchObject({ business: '8' });
    expect(readFileSync(join(folder(), 'out.csv'), 'utf8')).toContain('Fresh Farms');
    expect(await boh('north', exportLine)).toMatchObject({ exitCode: 2 });
  });

  test('backup: replaces the whole backup and stores the account in use', async () => {
    await runLine('north', backupLine);
    await runLine('south', `${backupLine} --since-last --any-account`);
    const manifest = JSON.parse(readFileSync(join(folder(), 'backup', 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({ business: { id: '8' }, resources: [{ read: 'complete' }] });
    expect(await boh('north', backupLine)).toMatchObject({ exitCode: 2 });
  });
});

test('a refusal names the profile that is signed in to the account of the file', async () => {
  const env = { BOH_TOKEN: '', BOH_BASE_URL: '' };
  await boh('', `profiles add uptown --base-url ${baseUrl()}`, env);
  await boh('', 'profiles use uptown', env);
  await runLine('north', backupLine);
  const config = join(folder(), 'config', 'config.json');
  if (existsSync(config)) {
    const settings = JSON.parse(readFileSync(config, 'utf8'));
    Object.assign(settings.profiles.uptown, { token: 'north', business_id: '7' });
    writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  }
  const refusedResult = await boh('south', backupLine);
  expect(refusedResult).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refusedResult.stderr).toContain('--profile uptown');
});

test('a file of a sandbox: is refused in another sandbox and accepted in its own', async () => {
  const envFor = (sandbox: string) => ({ BOH_TOKEN: '', BOH_BASE_URL: '', BOH_SANDBOX: sandbox });
  const line = '--sandbox backup FOLDER/backup --resource tags';
  for (let round = 0; round < 2; round++)
    expect(await boh('', line, envFor('one'))).toMatchObject({ exitCode: 0 });
  const refusedResult = await boh('', line, envFor('two'));
  expect(refusedResult).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refusedResult.stderr).toContain('--any-account');
  expect(await boh('', `${line} --any-account`, envFor('two'))).toMatchObject({ exitCode: 0 });
});

describe('unfinished runs of another account', () => {
  const applyLine = `apply FOLDER/both.yaml ${stopFlags}`;

  test.each(ownerCases)('apply: keeps an unfinished apply $match', async ({ creator, user }) => {
    await runLine(creator, applyLine, 9);
    const before = JSON.parse(await runLine(creator, 'runs list -o json'));
    expect(before).toMatchObject([{ command: 'apply', state: 'unfinished' }]);
    await runLine(user, applyLine, 9);
    const after = JSON.parse(await runLine(creator, 'runs list -o json'));
    expect(after.filter(({ id }: { id: string }) => id === before[0].id)).toEqual(before);
    await runLine(creator, `runs resume ${before[0].id} --yes`, 9);
    expect(businesses[creator]?.supplier.name).toBe('Orchard');
  });

  test.each(ownerCases)(
    'import of the same file: keeps an unfinished import $match',
    async ({ creator, user }) => {
      const id = await createUnfinishedRun(creator);
      const before = await runLine(creator, `runs show ${id} -o json`);
      await runLine(user, `${importLine} ${stopFlags}`, 9);
      expect(await runLine(creator, `runs show ${id} -o json`)).toBe(before);
      await runLine(creator, `runs resume ${id} --yes`, 9);
      expect(businesses[creator]?.supplier.name).toBe('Meadow');
    },
  );
});
