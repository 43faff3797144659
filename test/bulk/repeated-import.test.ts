/** Files that add records at each import: an earlier import is reported as long as its records exist. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { openImportSandbox } from './import-sandbox.ts';

const people = `name,dial_code,phone,email,tags
Layla Test,966,550001,layla@example.com,Regular
"Huda, the second",966,550002,,"Regular,VIP"
`;

test('import of a file without keys: a second import warns that the records were already created', async () => {
  const sandbox = openImportSandbox();
  const firstResult = await sandbox.import('people.csv', people, 'customers --mode create --yes');
  expect(firstResult.stderr).not.toContain('already imported');
  const repeatResult = await sandbox.import('people.csv', people, 'customers --mode create --yes');
  expect(repeatResult.exitCode).toBe(0);
  expect(repeatResult.stderr).toMatch(/people\.csv was already imported: run \S+ created 2 records/);
  const otherPeople = people.replace('Layla', 'Leila');
  const third = await sandbox.import('people.csv', otherPeople, 'customers --mode create --yes');
  expect(third.stderr).not.toContain('already imported');
});

test('import after an undo: the undone records do not count as imported, until a redo', async () => {
  const sandbox = openImportSandbox();
  const customers = 'customers --mode create --yes';
  const reportedCount = async () => {
    const { stderr } = await sandbox.import('people.csv', people, customers);
    return /: run \S+ created (\d+) record/.exec(stderr)?.[1];
  };
  await sandbox.import('people.csv', people, customers);
  const undo = async (line: string) => expect(await sandbox.boh(line)).toMatchObject({ exitCode: 0 });
  await undo('undo --last --yes');
  expect(await reportedCount()).toBeUndefined();
  await undo('undo --last --yes');
  await undo('redo --yes');
  expect(await reportedCount()).toBe('2');
});

test('import after the clock was set back: earlier runs do not prevent the same rows from being sent', async () => {
  const sandbox = openImportSandbox();
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 });
  await sandbox.import('people.csv', people, 'customers --key phone --yes');
  vi.useRealTimers();
  const repeatResult = await sandbox.import(
    'people.csv',
    people.replace('Layla', 'Leila'),
    'customers --key phone --yes',
  );
  const sameResult = await sandbox.import('people.csv', people, 'customers --key phone --yes');
  expect([repeatResult.exitCode, sameResult.exitCode, sameResult.stderr]).toEqual([
    0,
    0,
    expect.stringContaining('1 updated'),
  ]);
});
