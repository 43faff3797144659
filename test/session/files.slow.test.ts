/** Files that belong to an account, of every kind: with another account's token, or one of an unknown account, nothing of them is read, written or deleted. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { supplier, twoBusinesses } from '../harness/two-businesses.ts';

const { businesses, asked, boh, folder, baseUrl } = twoBusinesses();

interface Kind {
  /** What the command line does with the file. */
  does: string;
  /** Makes the file with a token; answers the words that name it. */
  make(token: string): Promise<string>;
  /** The line that uses it, after those words. */
  use(made: string): string;
  /** With the override; 0 where it isn't said. */
  exitCode?: number;
  /** It can't be overridden where the file is certainly of another account: what to do is named. */
  instead?: string;
}

const backup = 'backup FOLDER/backup --resource suppliers';
const exported = 'suppliers export --since FOLDER/mark --to FOLDER/out.csv';

async function done(token: string, line: string, exitCode = 0): Promise<string> {
  const result = await boh(token, line);
  expect({ line, ...result }).toMatchObject({ exitCode });
  return result.stdout;
}

const stopping = '--yes --max-errors 0 --concurrency 1';
const imported = 'suppliers import FOLDER/suppliers.csv --mode update';

/** An import that has stopped at its first row; answers its id. */
async function stoppedRun(token: string): Promise<string> {
  await done(token, `${imported} ${stopping}`, 9);
  const [{ id, state }] = JSON.parse(await done(token, 'runs list -o json'));
  expect(state).toBe('unfinished');
  return id;
}

async function write(token: string): Promise<string> {
  await done(token, 'suppliers update 1 --name Meadow');
  return String(JSON.parse(await done(token, 'history -o json'))[0].number);
}

async function mirror(token: string): Promise<string> {
  await done(token, 'mirror sync --resource suppliers');
  return '';
}

const kinds: Kind[] = [
  { does: 'runs resume', make: stoppedRun, use: (id) => `runs resume ${id} --yes`, exitCode: 9 },
  { does: 'runs resume --dry-run', make: stoppedRun, use: (id) => `runs resume ${id} --dry-run` },
  { does: 'runs show', make: stoppedRun, use: (id) => `runs show ${id}` },
  { does: 'backup', make: (token) => done(token, backup), use: () => backup },
  { does: 'backup --since-last', make: (token) => done(token, backup), use: () => `${backup} --since-last` },
  { does: 'export --since', make: (token) => done(token, exported), use: () => exported },
  {
    does: 'apply --plan',
    make: (token) => done(token, 'plan FOLDER/m.yaml --out FOLDER/plan'),
    use: () => 'apply --plan FOLDER/plan --yes',
  },
  {
    does: 'apply --plan --dry-run',
    make: (token) => done(token, 'plan FOLDER/m.yaml --out FOLDER/plan'),
    use: () => 'apply --plan FOLDER/plan --dry-run',
  },
  {
    does: 'mirror sync',
    make: mirror,
    use: () => 'mirror sync --resource suppliers',
    instead: 'boh mirror reset --any-account',
  },
  {
    does: 'mirror sync --exclude',
    make: mirror,
    use: () => 'mirror sync --resource suppliers --exclude suppliers.phone',
    instead: 'boh mirror reset --any-account',
  },
  { does: 'mirror status', make: mirror, use: () => 'mirror status --resource suppliers' },
  { does: 'mirror query', make: mirror, use: () => 'mirror query select(1)' },
  { does: 'mirror diff', make: mirror, use: () => 'mirror diff --resource suppliers' },
  { does: 'list --mirror', make: mirror, use: () => 'suppliers list --mirror' },
  { does: 'mirror forget', make: mirror, use: () => 'mirror forget suppliers 1 --yes' },
  { does: 'mirror reset', make: mirror, use: () => 'mirror reset --yes' },
  { does: 'undo of a write', make: write, use: (number) => `undo ${number} --yes` },
  { does: 'undo --dry-run', make: write, use: (number) => `undo ${number} --dry-run` },
  { does: 'history show', make: write, use: (number) => `history show ${number}` },
  { does: 'history forget', make: write, use: () => 'history forget suppliers 1 --yes' },
  { does: 'history prune', make: write, use: () => 'history prune --max-size 0KB --yes' },
];

/** Who makes the file, and who uses it then. */
const others = [
  { match: 'of another account', maker: 'north', user: 'south' },
  { match: 'of an account that the token may not ask for', maker: 'north', user: 'untold' },
  { match: 'of a token that might not ask whose it was', maker: 'untold', user: 'south' },
  { match: 'of a token that might not ask, as the one in use', maker: 'untold', user: 'secret' },
];

beforeEach(() => {
  businesses.untold = { id: 9, supplier: supplier(), isUntold: true };
  businesses.secret = { id: 10, supplier: supplier(), isUntold: true };
  for (const business of Object.values(businesses))
    business.second = { ...supplier(), id: '2', name: 'Quarry', code: 'Q' };
  writeFileSync(join(folder(), 'suppliers.csv'), 'id,name\n2,Stone\n1,Meadow\n');
  writeFileSync(join(folder(), 'm.yaml'), 'suppliers:\n  - code: F\n    name: Orchard\n');
  const both = 'suppliers:\n  - code: Q\n    name: Stone\n  - code: F\n    name: Orchard\n';
  writeFileSync(join(folder(), 'both.yaml'), both);
});

/** Of the files that a line has named, every byte; runs, mirrors and the history are looked at through their account. */
function namedFiles(): Record<string, string> {
  const all = readdirSync(folder(), { recursive: true, withFileTypes: true });
  const files = all.filter((entry) => entry.isFile() && !entry.parentPath.includes('config'));
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name), 'utf8'),
    ]),
  );
}

async function keptFor(token: string): Promise<unknown> {
  const all = ['runs list -o json', 'history -o json', 'mirror status -o json --max-age 900'];
  const shown = await Promise.all(all.map(async (line) => (await boh(token, line)).stdout));
  // How old a copy is changes by itself.
  return shown.map((text) => text.replaceAll(/"age": \d+/g, ''));
}

describe.each(kinds)('$does', ({ make, use, exitCode = 0, instead }) => {
  test.each(['north', 'untold'])('accepts the file of the same token, %s', async (token) => {
    const line = use(await make(token));
    expect({ line, ...(await boh(token, line)) }).toMatchObject({ exitCode });
  });

  test.each(others)('refuses a file $match, and accepts it with --any-account', async (each) => {
    const { maker, user } = each;
    const line = use(await make(maker));
    const [files, kept, records] = [namedFiles(), await keptFor(maker), structuredClone(businesses)];
    asked[user] = [];
    const refused = await boh(user, line);
    expect({ line, ...refused }).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('--any-account');
    expect(asked[user].filter((request) => request !== 'GET /whoami')).toEqual([]);
    expect(businesses).toEqual(records);
    expect(namedFiles()).toEqual(files);
    expect(await keptFor(maker)).toEqual(kept);

    const isForced = instead === undefined || user === 'untold' || maker === 'untold';
    const forced = await boh(user, `${line} --any-account`);
    expect({ line, ...forced }).toMatchObject({ exitCode: isForced ? exitCode : 2 });
    if (!isForced) expect(forced.stderr).toContain(instead);
  });
});

describe('restore-from', () => {
  test('matches by id only if the backup certainly belongs to the account', async () => {
    await done('north', backup);
    const dry = 'restore-from FOLDER/backup --dry-run';
    expect((await boh('north', dry)).stderr).toContain('to the same account');
    expect((await boh('south', dry)).stderr).not.toContain('to the same account');
    const refused = await boh('untold', dry);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('--any-account');
    const forced = await boh('untold', `${dry} --any-account`);
    expect(forced).toMatchObject({ exitCode: 0 });
    expect(forced.stderr).not.toContain('to the same account');
  });
});

describe('a file of another account, accepted with --any-account', () => {
  test('is started again by an export: earlier changes are written too', async () => {
    await done('north', exported);
    await done('south', `${exported} --any-account`);
    expect(JSON.parse(readFileSync(join(folder(), 'mark'), 'utf8'))).toMatchObject({ business: '8' });
    expect(readFileSync(join(folder(), 'out.csv'), 'utf8')).toContain('Fresh Farms');
    expect(await boh('north', exported)).toMatchObject({ exitCode: 2 });
  });

  test('is replaced completely by a backup, and belongs to the account in use afterwards', async () => {
    await done('north', backup);
    await done('south', `${backup} --since-last --any-account`);
    const manifest = JSON.parse(readFileSync(join(folder(), 'backup', 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({ business: { id: '8' }, resources: [{ read: 'whole' }] });
    expect(await boh('north', backup)).toMatchObject({ exitCode: 2 });
  });
});

test('a refusal names the profile that is signed in to the account of the file', async () => {
  const env = { BOH_TOKEN: '', BOH_BASE_URL: '' };
  await boh('', `profiles add uptown --base-url ${baseUrl()}`, env);
  await boh('', 'profiles use uptown', env);
  await done('north', backup);
  const config = join(folder(), 'config', 'config.json');
  if (existsSync(config)) {
    const settings = JSON.parse(readFileSync(config, 'utf8'));
    Object.assign(settings.profiles.uptown, { token: 'north', business_id: '7' });
    writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  }
  const refused = await boh('south', backup);
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toContain('--profile uptown');
});

test('a file of one sandbox is refused to another, and accepted by its own', async () => {
  const of = (sandbox: string) => ({ BOH_TOKEN: '', BOH_BASE_URL: '', BOH_SANDBOX: sandbox });
  const line = '--sandbox backup FOLDER/backup --resource tags';
  for (let round = 0; round < 2; round++)
    expect(await boh('', line, of('one'))).toMatchObject({ exitCode: 0 });
  const refused = await boh('', line, of('two'));
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toContain('--any-account');
  expect(await boh('', `${line} --any-account`, of('two'))).toMatchObject({ exitCode: 0 });
});

test('a file of an earlier version without a business is refused without --any-account', async () => {
  await done('untold', exported);
  const mark = join(folder(), 'mark');
  const {
    account_key: _,
    business: __,
    business_name: ___,
    ...earlier
  } = JSON.parse(readFileSync(mark, 'utf8'));
  writeFileSync(mark, JSON.stringify(earlier));
  for (const token of ['untold', 'north'])
    expect(await boh(token, exported)).toMatchObject({ exitCode: 2, stdout: '' });
  await done('untold', `${exported} --any-account`);
  await done('untold', exported);
});

describe('unfinished runs of another account', () => {
  const applied = `apply FOLDER/both.yaml ${stopping}`;

  test.each(others)(
    "an apply doesn't end an unfinished apply that is or may be $match",
    async ({ maker, user }) => {
      await done(maker, applied, 9);
      const before = JSON.parse(await done(maker, 'runs list -o json'));
      expect(before).toMatchObject([{ command: 'apply', state: 'unfinished' }]);
      await done(user, applied, 9);
      const after = JSON.parse(await done(maker, 'runs list -o json'));
      expect(after.filter(({ id }: { id: string }) => id === before[0].id)).toEqual(before);
      await done(maker, `runs resume ${before[0].id} --yes`, 9);
      expect(businesses[maker]?.supplier.name).toBe('Orchard');
    },
  );

  test.each(others)(
    "an import of the same file doesn't end an unfinished run $match",
    async ({ maker, user }) => {
      const id = await stoppedRun(maker);
      const before = await done(maker, `runs show ${id} -o json`);
      await done(user, `${imported} ${stopping}`, 9);
      expect(await done(maker, `runs show ${id} -o json`)).toBe(before);
      await done(maker, `runs resume ${id} --yes`, 9);
      expect(businesses[maker]?.supplier.name).toBe('Meadow');
    },
  );
});
