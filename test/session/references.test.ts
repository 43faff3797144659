import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Session } from '../../src/account/session/session.ts';
import { operation } from '../../src/api/contract/operation.ts';
import { deployedApi } from '../../src/api/deployments/deployment.ts';
import { foodicsV5 } from '../../src/api/deployments/foodics-v5.ts';
import { addresses } from '../../src/api/resources/addresses.ts';
import { groups } from '../../src/api/resources/groups.ts';
import { api } from '../../src/api/resources/index.ts';
import { loyaltyRewards } from '../../src/api/resources/loyalty-rewards.ts';
import { modifiers } from '../../src/api/resources/modifiers.ts';
import { sections } from '../../src/api/resources/sections.ts';
import { transferOrders } from '../../src/api/resources/transfer-orders.ts';
import { users } from '../../src/api/resources/users.ts';
import { hintContaining } from '../harness/hint.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';
import { openTestSession, type RecordedRequest } from './test-session.ts';

const newFolder = temporaryFolders();

const riverside = { id: 'b1', name: 'Riverside' };
const account = { user: { id: 'me', branches: [riverside, { id: 'b2', name: 'Airport Road' }] } };

/** Opens a session over a service with this account and these lists. The cache of names is in `folder`. */
function openService(lists: Record<string, object[]> = {}, folder = newFolder(), whoami: object = account) {
  const respond = ({ method, target }: RecordedRequest) => {
    if (target === '/whoami') return 'status' in whoami ? whoami : { data: whoami };
    if (method !== 'GET') return { data: { id: target.split('/')[2] ?? 'new' } };
    const [path = ''] = target.split('?');
    return { data: lists[path] ?? [], meta: { last_page: 1, total: (lists[path] ?? []).length } };
  };
  const opened = openTestSession(respond as never, { env: { BOH_CONFIG_DIR: folder } });
  return { ...opened, file: join(folder, 'cache', 'references.json') };
}

const requireOperation = (resource: Parameters<typeof operation>[0], name: string) => {
  const existing = operation(resource, name);
  if (!existing) throw new Error(`no ${name}`);
  return existing;
};

const create = (branch: string) => ({
  operation: requireOperation(sections, 'create'),
  body: { name: 'Terrace', branch_id: branch },
});

async function readAll(session: Session, resource: Parameters<typeof operation>[0]): Promise<void> {
  await Array.fromAsync(session.list({ operation: requireOperation(resource, 'list'), query: {} }).rows());
}

describe('a lookup of a branch', () => {
  test('is resolved with the response to whoami, which is requested once', async () => {
    const { session, requests } = openService();
    await session.write(create('@Riverside'));
    await session.write(create('@Airport Road'));
    expect(requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'GET /whoami',
      'POST /sections',
      'POST /sections',
    ]);
    expect(requests.slice(1).map(({ body }) => body)).toMatchObject([
      { branch_id: 'b1' },
      { branch_id: 'b2' },
    ]);
  });

  test('is resolved in filters and as the second ID of a link', async () => {
    const { session } = openService();
    expect(await session.names.resolveFilters(users, { filters: { 'branches.id': '@Riverside,x' } })).toEqual(
      {
        filters: { 'branches.id': 'b1,x' },
      },
    );
    expect(await session.names.idOf('branches', '@Airport Road')).toBe('b2');
    expect(await session.names.idOf('branches', 'b9')).toBe('b9');
  });

  test('an unknown name: fails and lists the known names', async () => {
    const { session, requests } = openService();
    await expect(session.write(create('@Riversid'))).rejects.toMatchObject({
      category: 'not_found',
      message: 'Branch @Riversid not found. Known names: Airport Road, Riverside.',
      details: { hint: hintContaining(/boh whoami; boh users list --include branches.*ID/) },
    });
    expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('a name of two branches: fails and lists both', async () => {
    const { session } = openService({}, newFolder(), {
      user: { branches: [riverside, { ...riverside, id: 'b3' }] },
    });
    await expect(session.write(create('@Riverside'))).rejects.toMatchObject({
      category: 'usage',
      message: '@Riverside matches 2 branches: b1, b3.',
    });
  });

  test('a name in another spelling: is found if only one branch has it, and the same name wins', async () => {
    const { session } = openService();
    expect(await session.names.idOf('branches', '@AIRPORT  road')).toBe('b2');
    const branches = [riverside, { id: 'b3', name: 'RIVERSIDE' }];
    const { session: other } = openService({}, newFolder(), { user: { branches } });
    expect(await other.names.idOf('branches', '@RIVERSIDE')).toBe('b3');
    await expect(other.names.idOf('branches', '@riverside')).rejects.toMatchObject({
      category: 'usage',
      message: '@riverside matches 2 branches: b3, b1.',
    });
  });

  test('a refused whoami: uses names from other responses', async () => {
    const folder = newFolder();
    const { session } = openService({ '/sections': [{ id: 's', branch: riverside }] }, folder, {
      status: 403,
      body: '{}',
    });
    await readAll(session, sections);
    expect(await session.names.idOf('branches', '@Riverside')).toBe('b1');
  });

  test('a name that has moved to another branch: is resolved with a new whoami request', async () => {
    const folder = newFolder();
    await openService({}, folder).session.names.references('branches');
    const { session } = openService({}, folder, {
      user: {
        branches: [
          { id: 'b1', name: 'Riverside Old' },
          { id: 'b3', name: 'Riverside' },
        ],
      },
    });
    expect(await session.names.idOf('branches', '@Riverside')).toBe('b3');
  });
});

describe('names of records that the API cannot list', () => {
  test('are collected from responses, including nested records, and cached for the next run', async () => {
    const folder = newFolder();
    const lists = {
      '/groups': [
        { id: 'g', products: [{ id: 'p1', name: 'Kunafa' }], combos: [{ id: 'c1', name: 'Tray' }] },
      ],
      '/transfer_orders': [{ id: 't', warehouse: { id: 'w1', name: 'Central' }, branch: { id: 'b7' } }],
      '/modifiers': [{ id: 'm', options: [{ id: 'o', products: [{ id: 'p2', name: 'Ayran' }] }] }],
      '/addresses': [
        {
          id: 'a',
          customer: { id: 'c', name: 'Huda', tags: [{ id: 't', name: 'VIP' }] },
          delivery_zone: { id: 'z', name: 'North', branches: [{ id: 'b9', name: 'Harbour' }] },
        },
      ],
    };
    const { session, file } = openService(lists, folder);
    for (const resource of [groups, transferOrders, modifiers, addresses]) await readAll(session, resource);
    const { session: nextSession, requests } = openService({}, folder);
    expect(await nextSession.names.references('products')).toEqual([
      { id: 'p2', name: 'Ayran' },
      { id: 'p1', name: 'Kunafa' },
    ]);
    expect(await nextSession.names.idOf('combos', '@Tray')).toBe('c1');
    expect(await nextSession.names.idOf('warehouses', '@Central')).toBe('w1');
    expect(requests).toEqual([]);
    expect(await nextSession.names.references('branches')).toContainEqual({ id: 'b9', name: 'Harbour' });
    const text = readFileSync(file, 'utf8');
    for (const unwantedText of ['Huda', 'VIP', 'North', 'owner-token'])
      expect(text).not.toContain(unwantedText);
  });

  test('are not used for another account', async () => {
    const folder = newFolder();
    await readAll(
      openService({ '/groups': [{ id: 'g', products: [{ id: 'p1', name: 'Kunafa' }] }] }, folder).session,
      groups,
    );
    const { settings } = openService().session;
    const otherAccount = openTestSession(() => ({ data: [] }), {
      env: { BOH_CONFIG_DIR: folder },
      settings: { ...settings, sandbox: 'another' },
    });
    expect(await otherAccount.session.names.references('products')).toEqual([]);
  });

  test('are resolved even if the cache cannot be written', async () => {
    const { session } = openService(
      { '/groups': [{ id: 'g', products: [{ id: 'p1', name: 'Kunafa' }] }] },
      '/dev/null/x',
    );
    await readAll(session, groups);
    expect(await session.names.idOf('products', '@Kunafa')).toBe('p1');
  });

  test('are refused in a list of IDs of several kinds', async () => {
    const { session, requests } = openService();
    const update = { operation: requireOperation(groups, 'update'), ids: ['g'] };
    await expect(
      session.write({ ...update, body: { items_index: ['p1', '@Kunafa'] } }),
    ).rejects.toMatchObject({
      category: 'usage',
      message: "@Kunafa can't be looked up: the API doesn't say what kind of record it is.",
    });
    await session.write({ ...update, body: { items_index: ['p1'] } });
    expect(requests.map(({ body }) => body)).toEqual([{ items_index: ['p1'] }]);
  });

  test('orders: are refused, because orders have no names', async () => {
    const { session } = openService({ '/loyalty_rewards': [{ id: 'l', order: { id: 'o', name: 'Huda' } }] });
    await readAll(session, loyaltyRewards);
    await expect(session.names.idOf('orders', '@Huda')).rejects.toMatchObject({ category: 'usage' });
    expect(await session.names.references('orders')).toEqual([]);
    for (const { name, isNamed } of api.references)
      expect([name, isNamed ?? false]).toEqual([name, !name.startsWith('order')]);
  });
});

describe('names of records that the API document cannot list', () => {
  const warehouse = { id: 'w1', name: 'Central Warehouse' };
  const transferTo = (warehouseText: string) => ({
    operation: requireOperation(transferOrders, 'create'),
    body: { status: 1, branch_id: 'b1', warehouse_id: warehouseText, items: [{ id: 'i1', quantity: 1 }] },
  });

  test('an unknown warehouse: is found in a list that contains warehouses', async () => {
    const { session, requests } = openService({ '/transfer_orders': [{ id: 't1', warehouse }] });
    await session.write(transferTo('@Central Warehouse'));
    expect(requests.at(-1)?.body).toMatchObject({ warehouse_id: 'w1' });
    expect(await session.names.references('warehouses', { search: true })).toEqual([warehouse]);
  });

  test('a response to boh api: teaches the names of its records', async () => {
    const { session } = openService({
      '/warehouses': [warehouse],
      '/sections': [{ id: 's1', branch: riverside }],
    });
    await session.raw({ method: 'GET', target: '/warehouses?page=1' });
    expect(await session.names.references('warehouses')).toEqual([warehouse]);
    await Array.fromAsync(session.rawPages('/sections'));
    expect(await session.names.references('branches')).toContainEqual(riverside);
  });

  describe('with a preset that has lists of them', () => {
    const openPreset = async (lists: Record<string, object[] | number>) => {
      const deployed = await deployedApi(api, foodicsV5);
      const respond = ({ method, target }: RecordedRequest) => {
        const [path = '', query = ''] = target.split('?');
        const name = /filter\[name\]=([^&]*)/.exec(query)?.[1];
        const rows = lists[path] ?? [];
        if (typeof rows === 'number') return { status: rows, body: '{"message":"Not found."}' };
        if (path === '/whoami') return { data: account };
        if (method !== 'GET') return { data: { id: 'new' } };
        const data = rows.filter((row) => name === undefined || Object(row).name === name);
        return { data, meta: { last_page: 1, total: data.length } };
      };
      return openTestSession(respond as never, { api: deployed, env: { BOH_CONFIG_DIR: newFolder() } });
    };

    test('a lookup: reads the list with a filter', async () => {
      const { session, requests } = await openPreset({ '/warehouses': [warehouse] });
      expect((await session.names.find('warehouses', ['@Central Warehouse'])).get('@Central Warehouse')).toBe(
        'w1',
      );
      expect(requests.map(({ target }) => target.split('?')[0])).not.toContain('/transfer_orders');
    });

    test('all names: are those of the list', async () => {
      const { session } = await openPreset({ '/branches': [{ id: 'b9', name: 'Harbor' }] });
      expect(await session.names.references('branches')).toEqual([{ id: 'b9', name: 'Harbor' }]);
    });

    test('a service without the list: names are known from other responses', async () => {
      const { session } = await openPreset({ '/branches': 404 });
      expect((await session.names.find('branches', ['@Riverside'])).get('@Riverside')).toBe('b1');
      expect(await session.names.references('branches')).toContainEqual(riverside);
    });
  });
});
