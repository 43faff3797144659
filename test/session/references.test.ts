import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operation } from '../../src/contract/operation.ts';
import { addresses } from '../../src/resources/addresses.ts';
import { groups } from '../../src/resources/groups.ts';
import { api } from '../../src/resources/index.ts';
import { loyaltyRewards } from '../../src/resources/loyalty-rewards.ts';
import { modifiers } from '../../src/resources/modifiers.ts';
import { sections } from '../../src/resources/sections.ts';
import { transferOrders } from '../../src/resources/transfer-orders.ts';
import { users } from '../../src/resources/users.ts';
import type { Session } from '../../src/session/session.ts';
import { hinted } from '../harness/hint.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';
import { type Asked, sessionOver } from './open.ts';

const newFolder = temporaryFolders();

const riverside = { id: 'b1', name: 'Riverside' };
const account = { user: { id: 'me', branches: [riverside, { id: 'b2', name: 'Airport Road' }] } };

/** A service of the account above and of these lists; what `session` learns is kept in `folder`. */
function service(lists: Record<string, object[]> = {}, folder = newFolder(), whoami: object = account) {
  const answer = ({ method, target }: Asked) => {
    if (target === '/whoami') return 'status' in whoami ? whoami : { data: whoami };
    if (method !== 'GET') return { data: { id: target.split('/')[2] ?? 'new' } };
    const [path = ''] = target.split('?');
    return { data: lists[path] ?? [], meta: { last_page: 1, total: (lists[path] ?? []).length } };
  };
  const opened = sessionOver(answer as never, { env: { BOH_CONFIG_DIR: folder } });
  return { ...opened, file: join(folder, 'cache', 'references.json') };
}

const verb = (resource: Parameters<typeof operation>[0], name: string) => {
  const found = operation(resource, name);
  if (!found) throw new Error(`no ${name}`);
  return found;
};

const create = (branch: string) => ({
  operation: verb(sections, 'create'),
  body: { name: 'Terrace', branch_id: branch },
});

async function readAll(session: Session, resource: Parameters<typeof operation>[0]): Promise<void> {
  await Array.fromAsync(session.list({ operation: verb(resource, 'list'), query: {} }).rows());
}

describe('@NAME of a branch', () => {
  test('is resolved by whoami, with one request for all of them', async () => {
    const { session, asked } = service();
    await session.write(create('@Riverside'));
    await session.write(create('@Airport Road'));
    expect(asked.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'GET /whoami',
      'POST /sections',
      'POST /sections',
    ]);
    expect(asked.slice(1).map(({ body }) => body)).toMatchObject([{ branch_id: 'b1' }, { branch_id: 'b2' }]);
  });

  test('works in filters and as the second id of a link', async () => {
    const { session } = service();
    expect(await session.resolveFilters(users, { filters: { 'branches.id': '@Riverside,x' } })).toEqual({
      filters: { 'branches.id': 'b1,x' },
    });
    expect(await session.idOf('branches', '@Airport Road')).toBe('b2');
    expect(await session.idOf('branches', 'b9')).toBe('b9');
  });

  test('that is unknown is not found: the known ones are listed', async () => {
    const { session, asked } = service();
    await expect(session.write(create('@Riversid'))).rejects.toMatchObject({
      category: 'not_found',
      message: 'Branch @Riversid not found. Known names: Airport Road, Riverside.',
      details: { hint: hinted(/boh whoami; boh users list --include branches.*ID/) },
    });
    expect(asked.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('that two branches share is refused, and both are listed', async () => {
    const { session } = service({}, newFolder(), {
      user: { branches: [riverside, { ...riverside, id: 'b3' }] },
    });
    await expect(session.write(create('@Riverside'))).rejects.toMatchObject({
      category: 'usage',
      message: '@Riverside matches 2 branches: b1, b3.',
    });
  });

  test("can be known from other answers if whoami doesn't list it", async () => {
    const folder = newFolder();
    const { session } = service({ '/sections': [{ id: 's', branch: riverside }] }, folder, {
      status: 403,
      body: '{}',
    });
    await readAll(session, sections);
    expect(await session.idOf('branches', '@Riverside')).toBe('b1');
  });

  test('that belongs to another record now is resolved by whoami', async () => {
    const folder = newFolder();
    await service({}, folder).session.references('branches');
    const { session } = service({}, folder, {
      user: {
        branches: [
          { id: 'b1', name: 'Riverside Old' },
          { id: 'b3', name: 'Riverside' },
        ],
      },
    });
    expect(await session.idOf('branches', '@Riverside')).toBe('b3');
  });
});

describe("names of records that the API can't list", () => {
  test('are learned from answers, also nested ones, and stored for the next run', async () => {
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
    const { session, file } = service(lists, folder);
    for (const resource of [groups, transferOrders, modifiers, addresses]) await readAll(session, resource);
    const { session: next, asked } = service({}, folder);
    expect(await next.references('products')).toEqual([
      { id: 'p2', name: 'Ayran' },
      { id: 'p1', name: 'Kunafa' },
    ]);
    expect(await next.idOf('combos', '@Tray')).toBe('c1');
    expect(await next.idOf('warehouses', '@Central')).toBe('w1');
    expect(asked).toEqual([]);
    expect(await next.references('branches')).toContainEqual({ id: 'b9', name: 'Harbour' });
    const text = readFileSync(file, 'utf8');
    for (const other of ['Huda', 'VIP', 'North', 'owner-token']) expect(text).not.toContain(other);
  });

  test('belong to one account', async () => {
    const folder = newFolder();
    await readAll(
      service({ '/groups': [{ id: 'g', products: [{ id: 'p1', name: 'Kunafa' }] }] }, folder).session,
      groups,
    );
    const { settings } = service().session;
    const other = sessionOver(() => ({ data: [] }), {
      env: { BOH_CONFIG_DIR: folder },
      settings: { ...settings, sandbox: 'another' },
    });
    expect(await other.session.references('products')).toEqual([]);
  });

  test('work if nothing can be stored', async () => {
    const { session } = service(
      { '/groups': [{ id: 'g', products: [{ id: 'p1', name: 'Kunafa' }] }] },
      '/dev/null/x',
    );
    await readAll(session, groups);
    expect(await session.idOf('products', '@Kunafa')).toBe('p1');
  });

  test('are refused in a list of ids of several kinds', async () => {
    const { session, asked } = service();
    const update = { operation: verb(groups, 'update'), ids: ['g'] };
    await expect(
      session.write({ ...update, body: { items_index: ['p1', '@Kunafa'] } }),
    ).rejects.toMatchObject({
      category: 'usage',
      message: "@Kunafa can't be looked up: the API doesn't say what kind of record it is.",
    });
    await session.write({ ...update, body: { items_index: ['p1'] } });
    expect(asked.map(({ body }) => body)).toEqual([{ items_index: ['p1'] }]);
  });

  test("don't exist for orders, which have no names", async () => {
    const { session } = service({ '/loyalty_rewards': [{ id: 'l', order: { id: 'o', name: 'Huda' } }] });
    await readAll(session, loyaltyRewards);
    await expect(session.idOf('orders', '@Huda')).rejects.toMatchObject({ category: 'usage' });
    expect(await session.references('orders')).toEqual([]);
    for (const { name, isNamed } of api.references)
      expect([name, isNamed ?? false]).toEqual([name, !name.startsWith('order')]);
  });
});
