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
  test('an unchanged history: is intact, and its head can be checked later', async () => {
    const workspace = await createWorkspaceWithUpdates();
    const verification = await workspace.json('history', 'verify');
    expect(verification).toMatchObject({ intact: true, entries: 3, problems: [] });
    await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', '4');
    expect(await workspace.json('history', 'verify', '--against', verification.head)).toMatchObject({
      intact: true,
      entries: 4,
    });
    const otherHead = `${verification.head.split(':')[0]}:${'x'.repeat(43)}`;
    expect((await workspace.boh('history', 'verify', '--against', otherHead)).exitCode).toBe(8);
    expect((await workspace.boh('history', 'verify', '--against', 'nonsense')).exitCode).toBe(2);
  });

  const tamperings: Record<string, [sql: string, problem: string]> = {
    'a value is changed': [
      'UPDATE entries SET content = replace(content, \'"2"\', \'"9"\') WHERE number = 2',
      'entry 2: its content was changed',
    ],
    'an entry is removed': ['DELETE FROM entries WHERE number = 2', 'is missing'],
    'the content of an entry is removed': [
      'UPDATE entries SET content = NULL, salt = NULL WHERE number = 2',
      'but not by boh',
    ],
    'an outcome is changed': [
      "UPDATE outcomes SET outcome = 'refused' WHERE number = 2",
      'the outcome of entry 2: its content was changed',
    ],
    'the end of the chain is removed': ['DELETE FROM outcomes WHERE number = 3', 'the end was cut off'],
    'an entry gets another number': ['UPDATE entries SET number = 7 WHERE number = 3', 'entry 7: its number'],
    'the next entry gets another number': ['UPDATE chain_end SET number = 12', 'it would be 13'],
    'the record ID of an entry is changed': [
      "UPDATE entries SET id = 'supplier-2' WHERE number = 2",
      'entry 2: its index columns contradict',
    ],
    'the field names of entries are removed': [
      "UPDATE entries SET fields = '[]'",
      'entry 1: its content was changed',
    ],
    'the accounts are removed': ['DELETE FROM accounts', 'entry 1: its command or its account'],
    'the content of an entry is not JSON': [
      "UPDATE entries SET content = '{' WHERE number = 2",
      'entry 2: its content was changed',
    ],
    'the content of a command is not JSON': [
      "UPDATE commands SET content = '{' WHERE id = 3",
      'command 3: its content was changed',
    ],
    'a mark is added': [
      "INSERT INTO marks VALUES (99, 1, 'forgotten', 'x', 'd', 'h')",
      'mark 99: its content was changed',
    ],
    'the command of an entry is missing': [
      'UPDATE commands SET id = 99 WHERE id = (SELECT command FROM entries WHERE number = 3)',
      'entry 3: its command',
    ],
    'two commands are exchanged': [
      'UPDATE commands SET id = 99 WHERE id = 1; UPDATE commands SET id = 1 WHERE id = 3; UPDATE commands SET id = 3 WHERE id = 99',
      'the previous link',
    ],
    'the content of a command is changed': [
      "UPDATE commands SET content = replace(content, 'boh', 'bah') WHERE id = 1",
      'command 1: its content was changed',
    ],
  };

  test.each(Object.entries(tamperings))('where %s: reports the problem', async (_, [sql, problem]) => {
    const workspace = await createWorkspaceWithUpdates();
    const database = openJournalFile(workspace);
    database.exec(sql);
    database.close();
    const result = await workspace.boh('history', 'verify');
    expect([result.exitCode, JSON.parse(result.stdout).intact]).toEqual([8, false]);
    expect(result.stderr).toContain(problem);
  });
});

describe('a history with invalid content', () => {
  test.each([
    "UPDATE entries SET content = '{' WHERE number = 2",
    "UPDATE entries SET content = '[]' WHERE number = 2",
    "UPDATE entries SET fields = '{}', at = 'yesterday' WHERE number = 2",
    "UPDATE outcomes SET content = 'x', outcome = 'maybe' WHERE number = 2",
    "UPDATE commands SET content = '{' WHERE id = 3",
    "INSERT INTO marks VALUES (99, 1, 'forgotten', 'x', 'd', 'h')",
    'DELETE FROM chain_end',
    'DELETE FROM tail',
    'DROP TABLE queue',
    'DROP TABLE accounts',
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
    journal.exec("CREATE TRIGGER stop BEFORE UPDATE ON accounts BEGIN SELECT RAISE(ABORT, 'stop'); END");
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

  test('a person: deletes every byte in history, ledgers and caches, and the chain stays intact', async () => {
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
    expect(await workspace.json('history', 'verify')).toMatchObject({ intact: true, entries: 6 });
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
  test('all writes: prints a line of JSON per write, with the links that verify it', async () => {
    const workspace = await createWorkspaceWithUpdates();
    const result = await workspace.boh('history', 'export');
    const lines = result.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ number }) => number)).toEqual([3, 2, 1]);
    expect(lines[0]).toMatchObject({
      before: { phone: '2' },
      after: { phone: '3' },
      chain: { sent: { seq: 8 }, outcome: { seq: 9 } },
    });
  });
});

describe('history prune', () => {
  test('old entries: are deleted, and the rest can still be verified', async () => {
    const workspace = await createWorkspaceWithUpdates();
    const inOneMinute = new Date(Date.now() + 60_000).toISOString();
    const refusedResult = await workspace.boh('history', 'prune', '--older-than', inOneMinute);
    expect(refusedResult.stderr).toContain('To delete 3 entries of the history, add --yes.');
    const result = await workspace.boh('history', 'prune', '--older-than', inOneMinute, '--yes');
    expect([result.exitCode, result.stderr]).toEqual([0, expect.stringContaining('Deleted 3 entries')]);
    await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', '4');
    expect((await workspace.json('history')).map(({ number }: { number: number }) => number)).toEqual([4]);
    expect(await workspace.json('history', 'verify')).toMatchObject({ intact: true, entries: 1 });
    await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', '5');
    expect((await workspace.json('history'))[0].number).toBe(5);
    const smallerHistory = await workspace.boh('history', 'prune', '--max-size', '1KB', '--yes');
    expect(smallerHistory.stderr).toContain('Deleted');
    expect(await workspace.json('history', 'verify')).toMatchObject({ intact: true });
  });
});
