/** Tests that `--where` changes nothing if the service ignores a filter, and that it has limits without flags. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { serve, type TestService } from '../harness/serve.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';
import { openImportSandbox } from './import-sandbox.ts';

const newFolder = temporaryFolders();

/** A service that returns all suppliers for each filter. */
let service: TestService;
beforeAll(async () => {
  const suppliers = ['Oasis Drinks', 'Fresh Farms', 'Harbor Fish'].map((name, index) => ({
    id: `supplier-${index}`,
    name,
    code: index === 0 ? 'S-1' : `S-${index}0`,
    email: null,
    created_at: `2026-0${index + 1}-01 10:00:00`,
    updated_at: `2026-0${index + 1}-01 10:00:00`,
    deleted_at: null,
  }));
  const deleted = suppliers.map((supplier) => ({ ...supplier, deleted_at: '2026-06-01 10:00:00' }));
  service = await serve({
    'GET /whoami': { data: { user: { id: 'me', name: 'Amal' }, business: { id: 'b', name: 'The Diner' } } },
    'GET /suppliers': { data: suppliers, meta: { current_page: 1, last_page: 1, total: suppliers.length } },
    'GET /suppliers?filter[is_deleted]=true': { data: deleted },
    'GET /suppliers?filter[name]=Oasis Drinks&filter[is_deleted]=true': { data: deleted },
  });
});
afterAll(() => service.close());

describe('--where with a service that ignores filters', () => {
  test.each([
    'suppliers delete --where name=Oasis*Drinks',
    'suppliers delete --where updated-after=2026-02-15',
    'suppliers delete --where updated-after=2026-02-15*12:00:00',
    'suppliers delete --where name=s --where updated-after=2026-02-15',
    'suppliers update --where name=Oasis --email a@example.com',
    'suppliers restore --where name=Oasis*Drinks',
  ])('%s: sends no write, ends with 8, and names the setting', async (line) => {
    service.takeRequests();
    const words = line.split(' ').map((word) => word.replaceAll('*', ' '));
    const result = await runBoh([...words, '--yes', '--max-deletes', '100%'], {
      env: { BOH_CONFIG_DIR: newFolder(), BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'token' },
    });
    expect(result.exitCode).toBe(8);
    const failure = failureOf(result);
    expect(failure.message).toMatch(/ignored the filter (name|updated_after).*Nothing was sent\./);
    expect(failure.hint).toContain('BOH_WIRE_FILTER_STYLE=plain');
    expect(service.takeRequests().filter((request) => !request.startsWith('GET '))).toEqual([]);
  });
});

describe('deletions without --max-deletes', () => {
  test('delete --where: is refused with the flag that allows it, and deletes nothing', async () => {
    const sandbox = openImportSandbox();
    const before = await sandbox.json<{ id: string }[]>('customers list --tags-id @VIP');
    const line = 'customers delete --where tags.id=@VIP --yes';
    const refused = await sandbox.boh(line);
    expect(refused.exitCode).toBe(2);
    expect(failureOf(refused)).toMatchObject({
      fields: {
        customers: [expect.stringMatching(`Would delete ${before.length} of \\d+ customers; the limit is`)],
      },
      hint: expect.stringContaining(`--max-deletes ${before.length}`),
    });
    expect(await sandbox.json('customers list --tags-id @VIP')).toHaveLength(before.length);
    expect((await sandbox.boh(`${line} --max-deletes ${before.length}`)).exitCode).toBe(0);
    expect(await sandbox.json('customers list --tags-id @VIP')).toEqual([]);
  });

  test('import --mode delete: is refused with the flag that allows it, and deletes nothing', async () => {
    const sandbox = openImportSandbox();
    const customers = await sandbox.json<{ id: string }[]>('customers list --all');
    const rows = customers.slice(0, 11).map(({ id }) => id);
    const csv = `id\n${rows.join('\n')}\n`;
    const refused = await sandbox.import('gone.csv', csv, 'customers --mode delete --yes');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('Would delete 11 of');
    expect(await sandbox.json('customers list --all')).toHaveLength(customers.length);
    const allowed = await sandbox.import('gone.csv', csv, 'customers --mode delete --yes --max-deletes 11');
    expect(allowed.exitCode).toBe(0);
  });
});
