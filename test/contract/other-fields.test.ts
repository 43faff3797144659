/** Fields of records that the API document doesn't list: they are shown, kept and written back. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operation } from '../../src/api/contract/operation.ts';
import { withOtherNestedFields } from '../../src/api/contract/other-fields.ts';
import { api } from '../../src/api/resources/index.ts';
import {
  type ExtendedOptions,
  type ExtendedService,
  startExtendedService,
} from '../harness/extended-service.ts';

const fields = { suppliers: ['cc_emails', 'is_local', 'last_visit_at', 'portal'] };
const values = {
  cc_emails: ['a@example.com', 'b@example.com'],
  is_local: true,
  last_visit_at: '2026-11-01 08:00:00',
  portal: { url: 'https://example.com', plan: { level: 2 } },
};
const { last_visit_at: _, ...writableValues } = values;

/** A service with a supplier that has values in fields outside the API document. */
async function startService(
  options: ExtendedOptions = {},
): Promise<{ service: ExtendedService; id: string }> {
  const service = await startExtendedService({ fields, ...options });
  const { id } = await service.send('POST', '/suppliers', { name: 'Northern Mills', code: 'NM', ...values });
  return { service, id: String(id) };
}

describe('reading', () => {
  test('get, list and --columns: show the fields; CSV by --columns', async () => {
    const { service, id } = await startService();
    expect(await service.json(`suppliers get ${id}`)).toMatchObject(values);
    const card = await service.boh(`suppliers get ${id} -o table`);
    expect(card.stdout).toContain('a@example.com');
    const table = await service.boh('suppliers list --code NM --columns name,cc_emails -o table');
    expect([table.exitCode, table.stdout]).toEqual([0, expect.stringContaining('b@example.com')]);
    const csv = await service.boh('suppliers list --code NM --columns name,is_local,portal.url -o csv');
    expect(csv.stdout).toBe('name,is_local,portal.url\r\nNorthern Mills,true,https://example.com\r\n');
  });

  test('--columns with a name that no record has: exit 2, also for JSON; a typo is refused before the request', async () => {
    const { service } = await startService();
    for (const format of ['table', 'json', 'csv']) {
      const result = await service.boh(`suppliers list --code NM --columns name,bcc_list -o ${format}`);
      expect([result.exitCode, result.stderr]).toEqual([
        2,
        expect.stringContaining('suppliers has no column "bcc_list"'),
      ]);
    }
    const typo = await service.boh('suppliers list --columns nam -o csv');
    expect([typo.exitCode, typo.stdout]).toEqual([2, '']);
  });

  test.each(['csv', 'ndjson', 'json'])(
    'export as %s: keeps the fields, and the file imports without a change',
    async (format) => {
      const { service } = await startService();
      const file = `FOLDER/suppliers.${format}`;
      const exported = await service.boh(`suppliers export --to ${file}`);
      expect(exported.exitCode).toBe(0);
      const text = readFileSync(join(service.folder, `suppliers.${format}`), 'utf8');
      expect(text).toContain('other_fields');
      expect(text).toContain('b@example.com');
      const result = await service.boh(`suppliers import ${file} --dry-run --exit-code`);
      expect([result.exitCode, service.writes]).toEqual([0, []]);
    },
  );

  test('mirror: stores the fields in the column other_fields', async () => {
    const { service } = await startService();
    expect((await service.boh('mirror sync --resource suppliers --to sqlite:FOLDER/m.sqlite')).exitCode).toBe(
      0,
    );
    const query = "SELECT other_fields FROM suppliers WHERE code = 'NM'";
    const result = await service.boh([
      'mirror',
      'query',
      query,
      '--to',
      'sqlite:FOLDER/m.sqlite',
      '-o',
      'json',
    ]);
    expect(JSON.parse(JSON.parse(result.stdout)[0].other_fields)).toMatchObject(values);
  });

  test('pull: names the fields that it leaves out, and its files plan no change', async () => {
    const { service } = await startService();
    const result = await service.boh('pull FOLDER/files --resource suppliers,tags');
    expect(result.stderr).toContain(
      "Left out, because the API document doesn't have them: cc_emails, is_local, last_visit_at, portal of suppliers.",
    );
    expect((await service.boh('plan FOLDER/files --exit-code')).exitCode).toBe(0);
  });
});

describe('backup', () => {
  test('restore into the account: restores changed values', async () => {
    const { service, id } = await startService();
    await service.boh('backup FOLDER/backup');
    expect((await service.boh('backup verify FOLDER/backup')).exitCode).toBe(0);
    await service.send('PUT', `/suppliers/${id}`, { cc_emails: [], portal: null });
    const result = await service.boh('backup restore FOLDER/backup --resource suppliers --yes');
    expect([result.exitCode, result.stderr]).toEqual([0, expect.any(String)]);
    expect(await service.send('GET', `/suppliers/${id}`)).toMatchObject(values);
    const again = await service.boh(
      'backup restore FOLDER/backup --resource suppliers --dry-run --exit-code',
    );
    expect(again.exitCode).toBe(0);
  });

  test('restore into another account: creates records with the fields', async () => {
    const { service } = await startService();
    await service.boh('backup FOLDER/backup');
    const other = await startExtendedService({ fields });
    const result = await other.boh(`backup restore ${service.folder}/backup --resource suppliers --yes`);
    expect([result.exitCode, result.stderr]).toEqual([0, expect.any(String)]);
    const [copy] = await other.json('suppliers list --code NM');
    expect(copy).toMatchObject(writableValues);
    expect(copy.last_visit_at).toBeNull();
  });

  test('restore into an account that refuses a field: omits it with a warning', async () => {
    const { service } = await startService();
    await service.boh('backup FOLDER/backup');
    const other = await startExtendedService({ fields, refused: { suppliers: ['portal'] } });
    const result = await other.boh(`backup restore ${service.folder}/backup --resource suppliers --yes`);
    expect([result.exitCode, result.stderr]).toEqual([
      0,
      expect.stringContaining("The service refuses portal of suppliers, so it isn't sent."),
    ]);
    const [copy] = await other.json('suppliers list --code NM');
    expect(copy).toMatchObject({ cc_emails: values.cc_emails, portal: null });
  });
});

describe('updates', () => {
  test('wire.put = replace: the fields are sent back; times that the service sets are not', async () => {
    const { service, id } = await startService({ variant: { 'wire.put': 'replace' } });
    const result = await service.boh(`suppliers update ${id} --phone 555`, {
      env: { BOH_WIRE_PUT: 'replace' },
    });
    expect([result.exitCode, result.stderr]).toEqual([0, expect.any(String)]);
    expect(service.writes.at(-1)?.body).toMatchObject({ phone: '555', ...writableValues });
    expect(service.writes.at(-1)?.body).not.toHaveProperty('last_visit_at');
    expect(await service.send('GET', `/suppliers/${id}`)).toMatchObject(writableValues);
  });

  test('wire.put = replace: a field that the service refuses is omitted with a warning', async () => {
    const refused: Record<string, string[]> = {};
    const { service, id } = await startService({ refused, variant: { 'wire.put': 'replace' } });
    refused.suppliers = ['portal'];
    const result = await service.boh(`suppliers update ${id} --phone 555`, {
      env: { BOH_WIRE_PUT: 'replace' },
    });
    expect([result.exitCode, result.stderr]).toEqual([
      0,
      expect.stringContaining('refuses portal of suppliers'),
    ]);
    expect(service.writes.at(-1)?.body).toMatchObject({ phone: '555', cc_emails: values.cc_emails });
  });

  test('a field that the user enters and the API document does not have: refused before the request', async () => {
    const { service, id } = await startService();
    const result = await service.boh(['suppliers', 'update', id, '--data', '{"bcc":"x"}']);
    expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining('bcc')]);
  });

  test('a service that replaces records unexpectedly: the emptied fields are named, and undo restores them', async () => {
    const { service, id } = await startService({ variant: { 'wire.put': 'replace' } });
    const result = await service.boh([
      'suppliers',
      'update',
      id,
      '--name',
      'Northern Mills',
      '--phone',
      '555',
    ]);
    expect(result.exitCode).toBe(9);
    expect(result.stderr).toMatch(/emptied .*cc_emails.*portal/);
    const undone = await service.boh('undo 1 --yes', { env: { BOH_WIRE_PUT: 'replace' } });
    expect([undone.exitCode, undone.stderr]).toEqual([0, expect.any(String)]);
    expect(await service.send('GET', `/suppliers/${id}`)).toMatchObject(writableValues);
  });

  test('undo of a restore that wrote the fields: restores the earlier values', async () => {
    const { service, id } = await startService();
    await service.boh('backup FOLDER/backup');
    await service.send('PUT', `/suppliers/${id}`, { cc_emails: ['c@example.com'] });
    await service.boh('backup restore FOLDER/backup --resource suppliers --yes');
    const undone = await service.boh('undo --last --yes');
    expect([undone.exitCode, undone.stderr]).toEqual([0, expect.any(String)]);
    expect(await service.send('GET', `/suppliers/${id}`)).toMatchObject({ cc_emails: ['c@example.com'] });
  });
});

test('withOtherNestedFields: adds the fields of nested records, except times, related records and secrets', () => {
  const update = api.resource('modifiers');
  const write = update && operation(update, 'update');
  if (!write) throw new Error('modifiers can be updated');
  const option = { id: 'o', name: 'Small', price: 1 };
  const others = { badge: 'new', seen_at: '2026-11-01 08:00:00', kitchen: { id: 'k' }, token: 'secret' };
  expect(
    withOtherNestedFields(
      write,
      { name: 'Size', options: [option] },
      { options: [{ ...option, price: 9, ...others }] },
    ),
  ).toEqual({ name: 'Size', options: [{ ...option, badge: 'new' }] });
});
