import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { accountFile } from '../harness/account-folder.ts';
import { failureOf } from '../harness/run-boh.ts';
import { mountSmallDisk, needsRoot } from '../harness/small-disk.ts';

/** The Windows encoding of Arabic countries: one byte for each letter. */
function windows1256(text: string): Uint8Array {
  const decoder = new TextDecoder('windows-1256');
  const bytes = new Map(
    Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]),
  );
  return Uint8Array.from([...text].map((letter) => bytes.get(letter) ?? 63));
}

describe('--failed', () => {
  const prices = 'sku;cost\nSKU-001;77,5\nSKU-999;1,5\n';
  const updateFlags = 'inventory-items --key sku --mode update --skip-invalid --yes --failed';

  test.each([
    ["a folder that doesn't exist", 'nowhere/failed.csv'],
    ['a folder', ''],
  ])('path is %s: is refused before anything is sent', async (_, name) => {
    const sandbox = openImportSandbox();
    const refusedResult = await sandbox.import(
      'p.csv',
      prices,
      `${updateFlags} ${join(sandbox.folder, name)}`,
    );
    expect(refusedResult.exitCode).not.toBe(0);
    expect(refusedResult.rows).toEqual([]);
    const [item] = await sandbox.json<{ cost: number }[]>('inventory-items list --sku SKU-001');
    expect(item?.cost).toBe(4.5);
  });

  test("file that can't be written at the end: the outcome is still reported, and the rows can be written elsewhere", async ({
    skip,
  }) => {
    const disk = mountSmallDisk(64);
    if (!disk) return skip(needsRoot);
    disk.fill();
    const sandbox = openImportSandbox();
    const result = await sandbox.import('p.csv', prices, `${updateFlags} ${join(disk.path, 'failed.csv')}`);
    expect(result.exitCode).toBe(9);
    expect(failureOf(result)).toMatchObject({
      message: expect.stringMatching(/1 failed; 1 done\..*Can't write \S*failed\.csv: the disk is full/),
      hint: expect.stringMatching(/boh --sandbox runs resume \S+ --failed FILE/),
    });
    const [run] = await sandbox.json<{ id: string }[]>('runs list');
    await sandbox.boh(`runs resume ${run?.id} --failed ${sandbox.folder}/failed.csv`);
    expect(sandbox.read('failed.csv')).toMatch(/^sku;cost;_reason\nSKU-999;1,5;/);
  });

  test('CSV: the file keeps delimiter, line breaks and encoding, has the reasons, and can be fixed and imported', async () => {
    const sandbox = openImportSandbox();
    const file = windows1256(
      'الاسم;phone;gender\r\nمنى;5501;female\r\nسارة;5502;neither\r\n"هدى; أحمد";5503;other\r\n',
    );
    const failed = join(sandbox.folder, 'failed.csv');
    const line = `customers --key phone --map الاسم=name --encoding windows-1256 --skip-invalid --yes --failed ${failed}`;
    const result = await sandbox.import('people.csv', file, line);
    expect(result.exitCode).toBe(9);
    const text = new TextDecoder('windows-1256').decode(readFileSync(failed));
    const lines = text.split('\r\n');
    expect(lines[0]).toBe('الاسم;phone;gender;_reason');
    expect(lines[1]).toMatch(/^سارة;5502;neither;.*gender must be one of/);
    expect(lines[2]).toMatch(/^"هدى; أحمد";5503;other;/);
    expect(lines).toHaveLength(4);

    const fixed = text.replace('neither', 'female').replace('other', 'female');
    writeFileSync(failed, windows1256(fixed));
    const repeatResult = await sandbox.boh(
      `customers import ${failed} --key phone --map الاسم=name --encoding windows-1256 --yes --failed ${failed}.2`,
    );
    expect(repeatResult.exitCode).toBe(0);
    const [huda] = await sandbox.json<{ name: string }[]>('customers list --phone 5503');
    expect(huda?.name).toBe('هدى; أحمد');
    expect(readdirSync(sandbox.folder)).not.toContain('failed.csv.2');
  });

  test('invalid rows: are written before anything is sent, in JSON and in CSV', async () => {
    const sandbox = openImportSandbox();
    const failed = join(sandbox.folder, 'failed.json');
    const rows = [
      { phone: '1', name: 'x', gender: 'x' },
      { phone: '2', name: 'y' },
    ];
    const result = await sandbox.import(
      'p.json',
      JSON.stringify(rows),
      `customers --key phone --yes --failed ${failed}`,
    );
    expect(result.exitCode).toBe(2);
    const [onlyRow, ...otherRows] = JSON.parse(sandbox.read('failed.json'));
    expect(onlyRow).toEqual({ ...rows[0], _reason: expect.stringContaining('gender must be one of') });
    expect(otherRows).toEqual([]);
  });

  test('rows of an earlier run: are not included', async () => {
    const sandbox = openImportSandbox();
    const failed = join(sandbox.folder, 'failed.csv');
    writeFileSync(failed, 'phone,name,_reason\n1,x,old\n');
    await sandbox.import('p.csv', 'phone,name\n1,x\n', `customers --key phone --failed ${failed}`);
    expect(sandbox.read('failed.csv')).toBe('phone,name,_reason\n');
  });
});

describe('import of rows with secrets', () => {
  const users =
    'name,lang,email,password,pin\nSami,en,sami@example.com,CANARY-password,73519\nLina,ar,lina@example.com,CANARY-other,\n';

  test('secrets are sent with their rows, and are not in the ledger or the output', async () => {
    const sandbox = openImportSandbox();
    const failed = join(sandbox.folder, 'failed.csv');
    const result = await sandbox.import('users.csv', users, `users --key email --yes --failed ${failed}`);
    expect(result.exitCode).toBe(0);
    expect(result.rows.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
    const bytes = readFileSync(accountFile(join(sandbox.folder, 'config'), 'history.sqlite')).toString(
      'latin1',
    );
    expect(bytes).toContain('sami@example.com');
    expect(bytes).not.toMatch(/CANARY|73519/);
    expect(result.stdout + result.stderr).not.toMatch(/CANARY|73519/);
    const dryRunResult = await sandbox.import(
      'users.csv',
      users.replace('sami@', 's@'),
      'users --key email --dry-run',
    );
    expect(dryRunResult.stdout + dryRunResult.stderr).not.toMatch(/CANARY|73519/);
    const [sami] = await sandbox.json<{ id: string }[]>('users list --email sami@example.com');
    expect(sami).toBeDefined();
  });

  test('secrets are not written to the file of failed rows', async () => {
    const sandbox = openImportSandbox();
    const failed = join(sandbox.folder, 'failed.csv');
    const invalidUsers = users.replace('en,sami', ',sami');
    const result = await sandbox.import(
      'users.csv',
      invalidUsers,
      `users --key email --yes --failed ${failed}`,
    );
    expect(result.exitCode).toBe(2);
    expect(sandbox.read('failed.csv')).not.toContain('CANARY');
    expect(result.stdout + result.stderr).not.toContain('CANARY');
  });
});
