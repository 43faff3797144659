/** Commands that read many lists, at a service that refuses one of them: they go on, and say what they left out. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { type FakeResponse, startServiceWith } from '../runs/fake-service.ts';

const statuses = [400, 403, 404];

/** Returns the responses of a service that refuses the requests whose target matches. */
const refusing =
  (status: number, pattern: RegExp): FakeResponse =>
  ({ path }) =>
    pattern.test(path) ? { status, body: { message: `No \u001b[31mlist.` } } : undefined;

const startRefusing = (status: number, pattern: RegExp) =>
  startServiceWith({ isDemo: true, respondToRead: refusing(status, pattern) });

const taxes = /^\/taxes\b/;

describe.each(statuses)('a list that answers %i', (status) => {
  test('find: searches the others, and names the list', async () => {
    const { boh } = await startRefusing(status, /^\/suppliers\b/);
    const result = await boh('find', 'huda', '-o', 'json');
    expect([result.exitCode, result.stdout]).toEqual([0, expect.stringContaining('Huda')]);
    expect(result.stderr).toMatch(/Skipped.*suppliers/);
    expect(result.stderr).not.toContain('\u001b');
    const onlyRefused = await boh('find', 'huda', '--in', 'suppliers', '-o', 'json');
    expect([onlyRefused.exitCode, onlyRefused.stdout]).toEqual([
      status === 403 ? 4 : status === 404 ? 5 : 6,
      '',
    ]);
  });

  test('lint: runs the other rules, and names the list with the reason', async () => {
    const { boh } = await startRefusing(status, /^\/suppliers\b/);
    const result = await boh('lint', '-o', 'json', '--fail-on', 'never');
    expect([result.exitCode, JSON.parse(result.stdout).length]).toEqual([0, expect.any(Number)]);
    expect(result.stderr).toMatch(/Rules skipped, because .* list suppliers: .*item-without-supplier/);
    if (status !== 403) expect(result.stderr).toMatch(new RegExp(`suppliers: .*(${status}|no suppliers)`));
  });

  test('backup: the manifest, verify and restore say what is left out, and the exit code is 9', async () => {
    const { boh, folder } = await startRefusing(status, taxes);
    const backup = join(folder, 'backup');
    const result = await boh('backup', backup, '--resource', 'taxes,tags');
    expect([result.exitCode, result.stderr]).toEqual([
      9,
      expect.stringContaining('Not in the backup: taxes. '),
    ]);
    const verification = await boh('backup', 'verify', backup);
    expect([verification.exitCode, verification.stderr]).toEqual([
      0,
      expect.stringContaining('Not in the backup: taxes. '),
    ]);
    const restored = await boh('backup', 'restore', backup, '--dry-run');
    expect([restored.exitCode, restored.stderr]).toEqual([
      0,
      expect.stringContaining('Not in the backup: taxes. '),
    ]);
  });

  test('export: writes the other files and sheets, and the exit code is 9', async () => {
    const { boh, folder } = await startRefusing(status, taxes);
    for (const name of ['all', 'book.xlsx']) {
      const to = join(folder, name);
      const result = await boh('export', '--to', to, '--resource', 'taxes,tags');
      expect([result.exitCode, failureOf(result).fields]).toEqual([9, { taxes: [expect.any(String)] }]);
      expect(result.stderr).toContain(`The export to ${to} is incomplete: taxes`);
      expect(existsSync(name === 'all' ? join(to, 'tags.csv') : to)).toBe(true);
      expect(existsSync(join(to, 'taxes.csv'))).toBe(false);
    }
    const onlyRefused = await boh('export', '--to', join(folder, 'none.xlsx'), '--resource', 'taxes');
    expect([onlyRefused.exitCode, existsSync(join(folder, 'none.xlsx'))]).toEqual([
      status === 403 ? 4 : status === 404 ? 5 : 6,
      false,
    ]);
  });

  test('pull: writes the others, and names the list', async () => {
    const { boh, folder } = await startRefusing(status, taxes);
    const pulled = await boh('pull', join(folder, 'pulled'));
    expect([pulled.exitCode, pulled.stderr]).toEqual([
      9,
      expect.stringContaining("The account doesn't list these for this token: taxes."),
    ]);
  });

  test('mirror sync: syncs the others, and the exit code is 9', async () => {
    const { boh, folder } = await startRefusing(status, taxes);
    const mirror = `sqlite:${join(folder, 'mirror.sqlite')}`;
    const result = await boh('mirror', 'sync', '--to', mirror, '--resource', 'taxes,tags');
    expect([result.exitCode, result.stderr]).toEqual([
      9,
      expect.stringContaining('1 of 2 resources could not be synced: taxes.'),
    ]);
  });
});

test.each([400, 404])('find: a filter that answers %i leaves the others of the same list', async (status) => {
  const { boh } = await startRefusing(status, /filter\[name\]/);
  const result = await boh('find', 'SUP-08', '--in', 'suppliers', '-o', 'json');
  expect([result.exitCode, result.stdout]).toEqual([0, expect.stringContaining('Oasis Drinks')]);
  expect(result.stderr).toContain('Skipped: suppliers by name: ');
});

test('backup: a list that the previous backup contains is refused: the backup is not replaced, with the reason', async () => {
  let isRefused = false;
  const refuse = refusing(404, taxes);
  const { boh, folder } = await startServiceWith({
    isDemo: true,
    respondToRead: (request) => (isRefused ? refuse(request) : undefined),
  });
  const line = ['backup', join(folder, 'backup'), '--resource', 'taxes,tags'];
  expect((await boh(...line)).exitCode).toBe(0);
  isRefused = true;
  const result = await boh(...line);
  expect([result.exitCode, result.stderr]).toEqual([
    5,
    expect.stringMatching(/taxes: The service has no taxes at \/taxes\. The backup was not changed\./),
  ]);
  expect((await boh('backup', 'verify', join(folder, 'backup'))).exitCode).toBe(0);
});

describe('find at a service that ignores filters', () => {
  const guests = ['Guest 002', 'Guest 012', 'Guest 0021', 'Çağla Öz', 'أحمد'].map((name, index) => ({
    id: `id-00${index}2`,
    name,
    phone: `51000200${index}`,
    email: `g${index}@example.com`,
    notes: 'Guest 002',
  }));
  const start = () =>
    startServiceWith({
      respondToRead: ({ path }) =>
        path.startsWith('/customers') ? { body: { data: guests, meta: { last_page: 1 } } } : undefined,
    });

  test.each([
    ['Guest 002', ['Guest 002', 'Guest 0021']],
    ['guest 012', ['Guest 012']],
    ['cagla', ['Çağla Öz']],
    ['احمد', ['أحمد']],
    ['g3@example.com', ['Çağla Öz']],
    ['0510002001', ['Guest 012']],
    ['+966 51 000 2001', ['Guest 012']],
    ['Nobody', []],
  ])('by %s: returns only records that match', async (text, names) => {
    const { boh } = await start();
    const result = await boh('find', text, '--in', 'customers', '-o', 'json');
    const found = JSON.parse(result.stdout).map(({ name }: { name: string }) => name.replace(/ \(.*/, ''));
    expect(found).toEqual(names);
  });
});
