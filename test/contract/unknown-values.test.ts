/** Values that the API document doesn't list: those of the account are never mistakes, those of the user are warnings. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ExtendedService, startExtendedService } from '../harness/extended-service.ts';

/** A service with a role, a user and a tag whose values the document doesn't list. */
async function startService(): Promise<ExtendedService> {
  const service = await startExtendedService();
  await service.send('POST', '/roles', { name: 'Buyers', authorities: ['menu:read', 'po:approved:receive'] });
  const notifications = ['new_waste', 'new_transfer_order'];
  await service.send('POST', '/users', {
    name: 'Mona',
    lang: 'en',
    email: 'mona@example.com',
    notifications,
  });
  await service.send('POST', '/tags', { name: 'Device', type: 8 });
  await service.send('POST', '/payment_methods', { name: 'Voucher', type: 8 });
  return service;
}

const unknownText = 'is neither in the API document nor in this account';

describe('values of the account that the document does not list', () => {
  test('pull: its unedited files plan no change, without warnings, and apply changes nothing', async () => {
    const service = await startService();
    const pulled = await service.boh('pull FOLDER/files');
    expect(pulled.exitCode).toBe(0);
    const plan = await service.boh('plan FOLDER/files --exit-code --strict-values');
    expect([plan.exitCode, plan.stderr]).toEqual([0, expect.not.stringContaining('neither')]);
    const text = readFileSync(join(service.folder, 'files/roles.yaml'), 'utf8');
    expect(text).toContain('po:approved:receive');
  });

  test('export: its unedited file imports without a change or a finding', async () => {
    const service = await startService();
    for (const resource of ['roles', 'users', 'tags', 'payment-methods']) {
      await service.boh(`${resource} export --to FOLDER/${resource}.csv`);
      const result = await service.boh(
        `${resource} import FOLDER/${resource}.csv --dry-run --strict-values --exit-code`,
      );
      expect([resource, result.exitCode, result.stderr]).toEqual([
        resource,
        0,
        expect.not.stringContaining(unknownText),
      ]);
    }
  });

  test('rehearse: copies them, and reports no refusal', async () => {
    const service = await startService();
    writeFileSync(
      join(service.folder, 'role.yaml'),
      'roles:\n  - name: Buyers\n    authorities: [menu:read, menu:manage, po:approved:receive]\n',
    );
    const result = await service.boh('rehearse FOLDER/role.yaml');
    expect([result.exitCode, result.stderr]).toEqual([0, expect.not.stringContaining('Not in the copy')]);
    expect(result.stdout).toContain('Buyers');
  });

  test('a single write after a list: the value is known', async () => {
    const service = await startService();
    await service.boh('tags list --all');
    const result = await service.boh('tags create --name Till --type 8 --strict-values');
    expect([result.exitCode, result.stderr]).toEqual([0, expect.not.stringContaining('Warning')]);
  });

  test('copy into another account: values of the source are not checked', async () => {
    const service = await startService();
    await service.boh('backup FOLDER/backup');
    const other = await startExtendedService();
    const result = await other.boh(
      `backup restore ${service.folder}/backup --resource tags,roles --strict-values --dry-run --same-references`,
    );
    expect(result.stderr).not.toContain(unknownText);
    expect(result.exitCode).toBe(0);
  });
});

describe('a value that neither the document nor the account has', () => {
  test('create: a warning with the nearest value, and the value is sent', async () => {
    const service = await startExtendedService();
    const result = await service.boh('tags create --name Till --type 8');
    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain(
      `Warning: type of tags: 8 ${unknownText}; the nearest known value is product (7).`,
    );
    expect(service.writes).toMatchObject([{ line: 'POST /tags', body: { type: 8 } }]);
  });

  test('create --strict-values: an error, and nothing is sent', async () => {
    const service = await startExtendedService();
    const result = await service.boh(
      'roles create --name Buyers --authorities menu:read,orders:mange --strict-values',
    );
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain(`authorities: "orders:mange" ${unknownText}`);
    expect(service.writes).toEqual([]);
  });

  test('create --quiet: no warning', async () => {
    const service = await startExtendedService();
    expect((await service.boh('tags create --name Till --type 8 --quiet')).stderr).toBe('');
  });

  test('values of the account are suggested, too', async () => {
    const service = await startService();
    await service.boh('roles list --include authorities');
    const result = await service.boh('roles update @Buyers --authorities po:approved:recieve');
    expect(result.stderr).toContain('the nearest known value is "po:approved:receive"');
  });

  test('import: one warning with the first line, and an error with --strict-values', async () => {
    const service = await startExtendedService();
    writeFileSync(join(service.folder, 'tags.csv'), 'name,type\nOne,1\nTill,8\nDesk,8\n');
    const line = 'tags import FOLDER/tags.csv --mode create --yes';
    const strict = await service.boh(`${line} --strict-values`);
    expect([strict.exitCode, service.writes]).toEqual([2, []]);
    expect(strict.stderr).toContain('(line 3)');
    const result = await service.boh(line);
    expect(result.exitCode).toBe(0);
    expect(result.stderr.match(new RegExp(unknownText, 'g'))).toHaveLength(1);
    expect(service.writes).toHaveLength(3);
  });

  test('plan and apply: a warning, and an error with --strict-values', async () => {
    const service = await startExtendedService();
    writeFileSync(join(service.folder, 'tags.yaml'), 'tags:\n  - name: Till\n    type: 8\n');
    for (const line of ['plan FOLDER/tags.yaml', 'apply FOLDER/tags.yaml --dry-run']) {
      const result = await service.boh(line);
      expect([result.exitCode, result.stderr]).toEqual([0, expect.stringContaining(unknownText)]);
      expect((await service.boh(`${line} --strict-values`)).exitCode).toBe(2);
    }
    expect(service.writes).toEqual([]);
  });

  test('list: a filter value is checked like the value of a write', async () => {
    const service = await startExtendedService();
    const result = await service.boh('tags list --type 8');
    expect([result.exitCode, result.stderr]).toEqual([0, expect.stringContaining(unknownText)]);
    expect((await service.boh('tags list --type 8 --strict-values')).exitCode).toBe(2);
    expect((await service.boh('tags list --type 7')).stderr).not.toContain(unknownText);
  });
});

test('a word that is not a number, for a field that takes numbers: an error, because it cannot be sent', async () => {
  const service = await startExtendedService();
  const result = await service.boh('tags create --name Till --type devise');
  expect([result.exitCode, service.writes]).toEqual([2, []]);
});

test('a listed value that new records cannot have: an error', async () => {
  const service = await startExtendedService();
  const result = await service.boh('payment-methods create --name Gift --type 4');
  expect([result.exitCode, service.writes]).toEqual([2, []]);
});

test('--strict-values with --unchecked: refused', async () => {
  const service = await startExtendedService();
  const result = await service.boh('tags list --strict-values --unchecked');
  expect(result.exitCode).toBe(2);
});
