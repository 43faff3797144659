/** Verifies, forgets, exports and prunes a history. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  createWorkspace,
  createWorkspaceWithUpdates,
  openJournalFile,
  type Workspace,
} from './sandbox-workspace.ts';

/** Returns all bytes that boh stores, without the sandbox, which is the service. */
function bytesOf({ config }: Workspace): string {
  return readdirSync(config, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) =>
        !name.startsWith('sandboxes') && !name.endsWith('.csv') && statSync(join(config, name)).isFile(),
    )
    .map((name) => readFileSync(join(config, name), 'latin1'))
    .join('');
}

describe('history verify', () => {
  test('an unchanged history: is intact', async () => {
    const workspace = await createWorkspaceWithUpdates();
    expect(await workspace.json('history', 'verify')).toEqual({
      intact: true,
      entries: 3,
      forgotten: 0,
      deleted_up_to: 0,
      problems: [],
    });
  });

  const damages: Record<string, [sql: string, problem: string]> = {
    'an entry is missing': ['DELETE FROM entries WHERE number = 2', 'Entry 2 is missing.'],
    'the newest entries are missing': ['DELETE FROM entries WHERE number > 1', 'Entries 2 to 3 are missing.'],
    'the oldest entries are missing': ['DELETE FROM entries WHERE number < 3', 'Entries 1 to 2 are missing.'],
    'the command of an entry is missing': [
      'DELETE FROM commands WHERE id = (SELECT command FROM entries WHERE number = 3)',
      'Entry 3 is missing.',
    ],
    'an index is incomplete': [
      `PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = sql || ' WHERE at < 0' WHERE name = 'entries_of_time';
       PRAGMA writable_schema = RESET; REINDEX entries_of_time; PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = replace(sql, ' WHERE at < 0', '') WHERE name = 'entries_of_time'`,
      'missing from index entries_of_time',
    ],
  };

  test.each(Object.entries(damages))('where %s: reports the problem', async (_, [sql, problem]) => {
    const workspace = await createWorkspaceWithUpdates();
    const database = openJournalFile(workspace);
    database.enableDefensive(false);
    database.exec(sql);
    database.close();
    const result = await workspace.boh('history', 'verify');
    expect([result.exitCode, JSON.parse(result.stdout).intact]).toEqual([8, false]);
    expect(result.stderr).toContain(problem);
    expect(result.stderr).toContain('restore a backup of it');
  });
});

describe('a history with invalid content', () => {
  test.each([
    "UPDATE entries SET content = '{' WHERE number = 2",
    "UPDATE entries SET content = '[]' WHERE number = 2",
    "UPDATE entries SET fields = '{}', at = 'yesterday' WHERE number = 2",
    "UPDATE outcomes SET content = 'x', outcome = 'maybe' WHERE number = 2",
    "UPDATE commands SET content = '{' WHERE id = 3",
    'DELETE FROM journal',
    'DROP TABLE outcomes',
    'DROP TABLE commands',
    'ALTER TABLE outcomes DROP COLUMN content',
  ])('%s: is reported as damaged, and writes continue', async (sql) => {
    const workspace = await createWorkspaceWithUpdates();
    const database = openJournalFile(workspace);
    database.exec(sql);
    database.close();
    for (const line of [
      'history',
      'history show 2',
      'history suppliers --field phone --since 1h',
      'blame suppliers supplier-1',
      'history verify',
      'history export',
      'undo 2 --dry-run',
      'undo --last --dry-run',
      'redo --dry-run',
    ]) {
      const { exitCode, stderr } = await workspace.boh(...line.split(' '));
      expect([0, 5, 8, 9], `${line}: ${stderr}`).toContain(exitCode);
    }
    expect((await workspace.boh('history', 'verify')).exitCode).toBe(8);
    const write = await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', '77');
    expect([write.exitCode, write.stderr]).toEqual([0, expect.not.stringContaining('bug')]);
    expect(await workspace.json('suppliers', 'get', 'supplier-1')).toMatchObject({ phone: '77' });
  });
});

describe('history forget', () => {
  test('a user who has written: deletes the name from their entries', async () => {
    const workspace = await createWorkspaceWithUpdates();
    // The signed-in user is known now.
    await workspace.boh('undo', '--last', '--yes');
    const { user } = await workspace.json('whoami');
    expect((await workspace.json('history'))[0]).toMatchObject({ number: 4, user: user.name });
    const otherResult = await workspace.boh('history', 'forget', 'customers', user.id, '--yes');
    expect(otherResult.stderr).not.toContain('without their name');
    expect(bytesOf(workspace)).toContain(user.name);
    const result = await workspace.boh('history', 'forget', 'users', user.id, '--yes');
    expect([result.exitCode, result.stderr]).toEqual([0, expect.stringContaining('without their name')]);
    for (const personalData of [user.name, user.id]) expect(bytesOf(workspace)).not.toContain(personalData);
    expect((await workspace.json('history')).map(({ user }: { user: unknown }) => user)).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(await workspace.json('history', 'verify')).toMatchObject({ intact: true, entries: 4 });
  });

  test('a failure midway: leaves everything unchanged', async () => {
    const workspace = await createWorkspaceWithUpdates();
    await workspace.boh('undo', '--last', '--yes');
    const { user } = await workspace.json('whoami');
    await workspace.boh('users', 'update', user.id, '--phone', '5551112223');
    const forget = () => workspace.boh('history', 'forget', 'users', user.id, '--yes');
    const journal = openJournalFile(workspace);
    journal.exec("CREATE TRIGGER stop BEFORE UPDATE ON commands BEGIN SELECT RAISE(ABORT, 'stop'); END");
    expect((await forget()).exitCode).not.toBe(0);
    const forgotten = async () =>
      (await workspace.json('history')).filter((entry: { forgotten: boolean }) => entry.forgotten);
    expect(await forgotten()).toEqual([]);
    journal.exec('DROP TRIGGER stop');
    journal.close();
    expect((await forget()).exitCode).toBe(0);
    expect(await forgotten()).toHaveLength(1);
    expect(await workspace.json('history', 'verify')).toMatchObject({ intact: true });
  });

  test('a person: deletes every byte in history, ledgers and caches, and verify still succeeds', async () => {
    const workspace = createWorkspace();
    const canaries = ['Zenobia Canary', '5559182736', 'zenobia@canary.example', 'Canary Street'];
    const [name = '', phone = '', email = '', street = ''] = canaries;
    const file = join(workspace.config, 'people.csv');
    writeFileSync(
      file,
      `name,phone,email,dial_code\n${name},${phone},${email},1\nSomeone Else,5551110000,else@example.com,1\n`,
    );
    await workspace.boh('customers', 'import', file, '--mode', 'create', '--yes');
    const [{ id }] = await workspace.json('customers', 'list', '--phone', phone);
    await workspace.boh('customers', 'update', `@${name}`, '--gender', 'female');
    await workspace.boh(
      'addresses',
      'create',
      '--name',
      'Home',
      '--description',
      street,
      '--customer-id',
      id,
    );
    await workspace.boh('--unchecked', 'customers', 'create', '--name', name, '--data', '{"gender":"x"}');
    await workspace.boh('customers', 'delete', id, '--yes');
    const before = bytesOf(workspace);
    for (const canary of canaries) expect(before).toContain(canary);
    expect((await workspace.boh('history', 'forget', 'customers', id)).exitCode).toBe(2);
    const result = await workspace.boh('history', 'forget', 'customers', id, '--yes');
    expect([result.exitCode, result.stderr]).toEqual([
      0,
      expect.stringMatching(/Deleted the content of 5 history entries and 1 row of runs/),
    ]);
    const after = bytesOf(workspace);
    for (const canary of [...canaries, id]) expect(after).not.toContain(canary);
    expect(after).toContain('Someone Else');
    expect(await workspace.json('history', 'verify')).toMatchObject({
      intact: true,
      entries: 6,
      forgotten: 5,
    });
    const entries = await workspace.json('history');
    expect(entries.filter(({ forgotten }: { forgotten: boolean }) => forgotten)).toHaveLength(5);
    expect((await workspace.boh('undo', '--last', '--yes')).exitCode).toBe(9);
  });
});

test('history -o table: prints a line per write, with the columns of the table', async () => {
  const workspace = await createWorkspaceWithUpdates();
  const { stdout, exitCode } = await workspace.boh('history', 'suppliers', '-o', 'table');
  expect(exitCode).toBe(0);
  const [head = '', ...lines] = stdout.split('\n').filter((line) => /\w/.test(line));
  expect(head.toLowerCase()).toMatch(/number.*time.*write.*fields.*outcome/);
  expect(lines.map((line) => line.match(/\d+/)?.[0])).toEqual(['3', '2', '1']);
  const newest = await workspace.boh('history', '--limit', '1', '-o', 'table');
  expect(newest.stdout.match(/\bdone\b/g)).toHaveLength(1);
});

describe('history export', () => {
  test('all writes: prints a line of JSON per write', async () => {
    const workspace = await createWorkspaceWithUpdates();
    const result = await workspace.boh('history', 'export');
    const lines = result.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ number }) => number)).toEqual([3, 2, 1]);
    expect(lines[0]).toMatchObject({ before: { phone: '2' }, after: { phone: '3' } });
  });
});

describe('history prune', () => {
  test('old entries: are deleted, and verify knows that they are not missing', async () => {
    const workspace = await createWorkspaceWithUpdates();
    const inOneMinute = new Date(Date.now() + 60_000).toISOString();
    const refusedResult = await workspace.boh('history', 'prune', '--older-than', inOneMinute);
    expect(refusedResult.stderr).toContain('To delete 3 entries of the history, add --yes.');
    const result = await workspace.boh('history', 'prune', '--older-than', inOneMinute, '--yes');
    expect([result.exitCode, result.stderr]).toEqual([0, expect.stringContaining('Deleted 3 entries')]);
    await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', '4');
    expect((await workspace.json('history')).map(({ number }: { number: number }) => number)).toEqual([4]);
    expect(await workspace.json('history', 'verify')).toMatchObject({
      intact: true,
      entries: 1,
      deleted_up_to: 3,
    });
    await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', '5');
    expect((await workspace.json('history'))[0].number).toBe(5);
    const smallerHistory = await workspace.boh('history', 'prune', '--max-size', '1KB', '--yes');
    expect(smallerHistory.stderr).toContain('Deleted');
    expect(await workspace.json('history', 'verify')).toMatchObject({ intact: true });
  });
});
