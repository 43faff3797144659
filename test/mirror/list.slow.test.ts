import { describe, expect, onTestFinished, test } from 'vitest';
import type { Fields } from '../../src/api/contract/field.ts';
import { api } from '../../src/api/resources/index.ts';
import { mirrorPages } from '../../src/engine/mirror/list.ts';
import { mirroredResources } from '../../src/engine/mirror/schema/derive.ts';
import { openReader } from '../../src/engine/mirror/stores/open.ts';
import { runBoh } from '../harness/run-boh.ts';
import { serve } from '../harness/serve.ts';
import { openSyncedWorkspace, openWorkspace } from './workspace.ts';

describe('boh RESOURCE list --mirror', () => {
  test('with each filter of the API document returns the records of the account', async () => {
    const workspace = await openSyncedWorkspace();
    const testedFlags: string[] = [];
    for (const { command, filters } of api.collections) {
      const accountRecords = await workspace.json(`${command} list --all`);
      for (const { name, on, match, value } of filters) {
        const relatedValue =
          on === undefined
            ? undefined
            : accountRecords
                .map((record) => record[on.split('.')[0] ?? ''])
                .find(
                  (value) =>
                    value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0),
                );
        const firstValue = Array.isArray(relatedValue) ? relatedValue[0] : relatedValue;
        const exampleValue =
          typeof firstValue === 'object' && firstValue !== null
            ? (firstValue as { id: string }).id
            : firstValue;
        const filterValue =
          value.kind === 'boolean'
            ? 'true'
            : match === 'on_day'
              ? String(exampleValue).slice(0, 10)
              : match === 'contains'
                ? String(exampleValue).slice(0, 3)
                : String(exampleValue);
        if (match === 'unknown' || (exampleValue === undefined && match !== 'deleted')) continue;
        const flag = `--filter ${name}=${filterValue}`;
        const line = [
          '--sandbox',
          command,
          'list',
          '--all',
          '-o',
          'id',
          '--filter',
          `${name}=${filterValue}`,
        ];
        const [account, mirror] = [
          await runBoh(line, workspace),
          await runBoh([...line, '--mirror'], workspace),
        ];
        expect({ command, flag, stderr: mirror.stderr, ids: mirror.stdout.split('\n').sort() }).toEqual({
          command,
          flag,
          stderr: expect.stringContaining('synced'),
          ids: account.stdout.split('\n').sort(),
        });
        testedFlags.push(flag);
      }
    }
    expect(testedFlags.length).toBeGreaterThan(150);
  });

  test('with special characters, letters of any case and days of deletion returns the records of the account', async () => {
    const workspace = openWorkspace();
    const createCustomer = (name: string) =>
      runBoh(
        ['--sandbox', 'customers', 'create', '--name', name, '--phone', '1', '--dial-code', '966'],
        workspace,
      );
    for (const name of ['100% Sure_thing', 'Back\\slash', 'ÉLAN Ångström', 'محمد الأمين'])
      await createCustomer(name);
    await workspace.sync('--resource customers,suppliers');
    const deletedSuppliers = await workspace.json('suppliers list --is-deleted');
    const day = String(deletedSuppliers.find((value) => value.deleted_at)?.deleted_at).slice(0, 10);
    const counts: number[] = [];
    for (const [resource, filter] of [
      ...['%', '_', '0%', '\\', 'élan', 'ÅNG', 'محمد'].map((name) => ['customers', `name=${name}`]),
      ['suppliers', `deleted_on=${day}`],
    ] as const) {
      const line = ['--sandbox', resource ?? '', 'list', '--all', '-o', 'id', '--filter', filter ?? ''];
      const [account, mirror] = [
        await runBoh(line, workspace),
        await runBoh([...line, '--mirror'], workspace),
      ];
      const ids = ({ stdout }: { stdout: string }) => stdout.split('\n').filter(Boolean).sort();
      expect({ filter, ids: ids(mirror) }).toEqual({ filter, ids: ids(account) });
      counts.push(ids(mirror).length);
    }
    expect(counts).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  });

  test('with is_deleted returns the records of the account, for each notation of a boolean', async () => {
    const workspace = openWorkspace();
    await workspace.sync('--resource suppliers');
    const counts: number[] = [];
    for (const value of ['true', '1', 'false', '0']) {
      const line = `suppliers list --all -o id --filter is_deleted=${value}`;
      const [account, mirror] = [await workspace.boh(line), await workspace.boh(`${line} --mirror`)];
      const ids = ({ stdout }: { stdout: string }) => stdout.split('\n').filter(Boolean).sort();
      expect({ value, ids: ids(mirror) }).toEqual({ value, ids: ids(account) });
      counts.push(ids(mirror).length);
    }
    const [all = 0, , active = 0] = counts;
    expect(all).toBeGreaterThan(active);
    expect(counts).toEqual([all, all, active, active]);
  });

  test('prints numbers with all of their digits, like the account', async () => {
    const workspace = openWorkspace();
    const rates = [
      '19.90',
      '1e-7',
      '12345678901234567890.10',
      '-0.50',
      '5',
      '0.1',
      '100',
      'null',
      '9007199254740993',
    ];
    const data = rates.map(
      (rate, index) =>
        `{"id":"t${index}","name":"T","rate":${rate},"unknown_rate":${rate},"updated_at":"2026-01-01 00:00:00"}`,
    );
    const service = await serve({
      'GET /whoami': { data: { user: { id: 'u' }, business: { id: 'b' } } },
      'GET /taxes': `{"data":[${data.join(',')}],"meta":{"last_page":1,"total":${rates.length}}}`,
    });
    onTestFinished(() => service.close());
    const env = { ...workspace.env, BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'a-token-of-a-test' };
    const readNumbers = async (...flags: string[]) => {
      const { stdout } = await runBoh(['taxes', 'list', '-o', 'ndjson', ...flags], { env });
      const numbers = stdout.matchAll(
        /"id":"(?<id>\w+)".*?"rate":(?<rate>[^,}]*).*?"unknown_rate":(?<unknown_rate>[^,}]*)/g,
      );
      return [...numbers].map(({ groups }) => ({ ...groups }));
    };
    expect(await runBoh(['mirror', 'sync', '--resource', 'taxes'], { env })).toMatchObject({ exitCode: 0 });
    expect(await readNumbers('--mirror')).toEqual(await readNumbers());
    expect(await readNumbers('--mirror')).toContainEqual({
      id: 't2',
      rate: '12345678901234567890.10',
      unknown_rate: '12345678901234567890.10',
    });
  });

  test('prints the corners of a zone like the account, also incomplete ones', async () => {
    const workspace = openWorkspace();
    const corners = '[[54.50,24.4],[null,24.5],[54.6,null],[54.50,24.4]]';
    const service = await serve({
      'GET /whoami': { data: { user: { id: 'u' }, business: { id: 'b' } } },
      'GET /delivery_zones': `{"data":[{"id":"z1","name":"Z","coordinates":${corners},"branches":[],"updated_at":"2026-01-01 00:00:00"}],"meta":{"last_page":1,"total":1}}`,
    });
    onTestFinished(() => service.close());
    const env = { ...workspace.env, BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'a-token-of-a-test' };
    expect(await runBoh(['mirror', 'sync', '--resource', 'delivery-zones'], { env })).toMatchObject({
      exitCode: 0,
    });
    for (const flags of [
      ['-o', 'yaml', '--columns', 'id,coordinates'],
      ['-o', 'csv', '--columns', 'id,coordinates'],
      ['-o', 'json', '--query', '[].coordinates[].[type([0]), type([1])]'],
    ]) {
      const list = ['delivery-zones', 'list', ...flags];
      const [account, mirror] = [await runBoh(list, { env }), await runBoh([...list, '--mirror'], { env })];
      expect({ flags, stdout: mirror.stdout }).toEqual({ flags, stdout: account.stdout });
    }
  });

  test('refuses invalid filter values, like the account', async () => {
    const workspace = await openSyncedWorkspace('--resource customers,tags,inventory-counts');
    for (const filter of ['updated_after=30d', 'is_blacklisted=maybe']) {
      const result = await workspace.boh(`customers list --mirror --filter ${filter}`);
      expect({ filter, ...result }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toContain(filter);
    }
    expect(await workspace.boh('tags list --mirror --filter type=nix')).toMatchObject({ exitCode: 2 });
    expect(await workspace.boh('inventory-counts list --mirror --filter business_date=nix')).toMatchObject({
      exitCode: 2,
    });
    const [ids, resultByFlag] = [
      await workspace.boh('customers list --mirror -o id --filter updated_after=2026-01-15'),
      await workspace.boh('customers list --mirror -o id --updated-after 2026-01-15'),
    ];
    expect(ids).toMatchObject({ exitCode: 0, stdout: resultByFlag.stdout });
  });

  test('prints the records of every resource like the account, and related records with their IDs', async () => {
    const workspace = await openSyncedWorkspace();
    for (const { command, fields } of api.collections) {
      const account = await workspace.json(`${command} list`);
      const mirror = await workspace.json(`${command} list --mirror`);
      const comparableRecords = (records: readonly Record<string, unknown>[]) =>
        records.map((record) => comparable(fields, record)).sort();
      expect({ command, records: comparableRecords(mirror) }).toEqual({
        command,
        records: comparableRecords(account),
      });
    }
  });

  test('contains relations that another list stores only if that list was synced, without deleted records', async () => {
    const workspace = await openSyncedWorkspace('--resource customers');
    const customerAddresses = async () =>
      (await workspace.json('customers list --mirror --name huda')).map(({ addresses }) => addresses);
    expect(await customerAddresses()).toEqual([undefined]);
    await workspace.sync('--resource addresses');
    const linked = (await customerAddresses()) as { id: string }[][];
    expect(linked[0]).toContainEqual({ id: 'address-huda-home' });
    await workspace.boh('addresses delete address-huda-home --yes');
    await workspace.sync('--resource addresses');
    expect(await customerAddresses()).toEqual([linked[0]?.filter(({ id }) => id !== 'address-huda-home')]);
  });

  test('refuses filters on excluded fields, and omits the fields', async () => {
    const workspace = openWorkspace();
    await workspace.sync('--exclude customers.name,customers.tags,suppliers.items,inventory_items.category');
    for (const line of [
      'customers list --name Huda',
      'customers list --tags-id tag-1',
      'inventory-items list --suppliers-id supplier-1',
      'inventory-items list --category-id category-1',
    ]) {
      expect({ line, ...(await workspace.boh(`${line} --mirror`)) }).toMatchObject({
        exitCode: 2,
        stdout: '',
        stderr: expect.stringContaining('excluded'),
      });
    }
    const [customer] = await workspace.json<object[]>('customers list --mirror --limit 1');
    expect(Object.keys(customer ?? {})).toEqual(expect.arrayContaining(['id', 'phone']));
    const [item] = await workspace.json<object[]>('inventory-items list --mirror --limit 1');
    for (const field of ['name', 'tags']) expect(customer).not.toHaveProperty(field);
    for (const field of ['suppliers', 'category']) expect(item).not.toHaveProperty(field);
  });

  test('yields all records while a sync deletes rows', async () => {
    const workspace = await openSyncedWorkspace('--resource customers');
    const insertSql = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
      INSERT INTO customers (id, created_at) SELECT 'more-' || i, '2026-01-01 00:00:00' FROM n`;
    workspace.change(insertSql);
    const customers = mirroredResources(api).find(({ resource }) => resource.name === 'customers');
    const target = { kind: 'sqlite', file: workspace.file, label: workspace.file } as const;
    const reader = await openReader(target);
    const ids: unknown[] = [];
    if (!customers) throw new Error('The API has no customers.');
    for await (const { rows } of mirrorPages(reader, customers, { filters: {}, sort: [] })) {
      ids.push(...rows.map(({ id }) => id));
      workspace.change(`DELETE FROM customers WHERE id IN ('${ids.slice(-100).join("', '")}')`);
    }
    await reader.close();
    expect([ids.length, new Set(ids).size]).toEqual([1700, 1700]);
  });

  test('prints the age of the mirror, and refuses flags that require the account', async () => {
    const workspace = await openSyncedWorkspace('--resource tags,users,suppliers');
    expect(await workspace.boh('tags list --mirror --limit 2 -o id')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^\S+\n\S+\n$/),
      stderr: expect.stringMatching(/synced \d+ seconds? ago/),
    });
    expect(await workspace.boh('customers list --mirror')).toMatchObject({ exitCode: 5 });
    for (const flags of [
      'users list --mirror --include tags',
      'users list --mirror --has-app-access',
      'tags list --mirror --watch',
      'tags list --mirror --filter color=red',
    ]) {
      expect({ flags, ...(await workspace.boh(flags)) }).toMatchObject({ exitCode: 2 });
    }
  });
});

/** Returns a record for comparison: without the order of links, without secrets, and with related records as IDs. */
function comparable(fields: Fields, record: Record<string, unknown>): string {
  const comparedValues = Object.entries(fields).flatMap(([name, { kind, traits }]): [string, unknown][] => {
    if (traits.secret) return [];
    const value = record[name];
    const related = value as { id?: unknown } | null | undefined;
    if (kind === 'one') return [[name, related?.id ?? record[`${name}_id`] ?? null]];
    if (!Array.isArray(value)) return [[name, value ?? null]];
    return [[name, value.length === 0 ? null : value.map((value) => JSON.stringify(value)).sort()]];
  });
  return JSON.stringify(comparedValues);
}
