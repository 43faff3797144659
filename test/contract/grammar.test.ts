/** The grammar's promises to scripts that are not a single field or filter: forms of flags, names, places on the line. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Recorder, startRecorder } from '../harness/recorder.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';

let service: Recorder;
let folder: string;
beforeAll(async () => {
  service = await startRecorder();
  folder = mkdtempSync(join(tmpdir(), 'boh-grammar-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service.close();
});

const boh = (
  argv: string[],
  { env = {}, stdin = '' }: { env?: Record<string, string>; stdin?: string } = {},
) =>
  runBoh(argv, {
    env: { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl, BOH_CONFIG_DIR: folder, ...env },
    stdin,
  });

/** A command line as people type it; none of these has a word with a space in it. */
const words = (line: string): string[] => line.split(' ');

const targets = () => service.take().map(({ method, target }) => `${method} ${target}`);
const bodies = () => service.take().map(({ body }) => JSON.parse(body) as unknown);

describe('names', () => {
  it.each([
    ['customer list', 'GET /customers'],
    ['customers ls', 'GET /customers'],
    ['inventory-categories list', 'GET /inventory_item_categories'],
    ['inventory-item-category get 7', 'GET /inventory_item_categories/7'],
    ['tax get 7', 'GET /taxes/7'],
    ['whoami', 'GET /whoami'],
  ])('%s', async (line, expected) => {
    expect((await boh(words(line))).exitCode).toBe(0);
    expect(targets()).toEqual([expected]);
  });

  it.each([
    'addresses restore 1',
    'transfer-orders restore 1',
    'inventory-counts restore 1',
    'cost-adjustments restore 1',
    'loyalty-transactions create',
    'loyalty-rewards delete 1',
  ])('%s does not exist', async (line) => {
    expect((await boh(words(line))).exitCode).toBe(2);
    expect(targets()).toEqual([]);
  });
});

describe('lists', () => {
  it.each([
    ['tags list --page 3', '/tags?page=3'],
    ['customers list --sort -created_at,updated_at', '/customers?sort=-created_at,updated_at'],
    [
      'customers list --include tags,addresses.delivery_zone',
      '/customers?include=tags,addresses.delivery_zone',
    ],
    ['customers get 5 --include tags', '/customers/5?include=tags'],
    ['timed-events list --filter categories.id=9', '/timed_events?filter[categories.id]=9'],
    ['tags list --filter a=b=c --filter d=1', '/tags?filter[a]=b=c&filter[d]=1'.replace('b=c', 'b%3Dc')],
    [
      'customers list --is-deleted --is-blacklisted=false',
      '/customers?filter[is_blacklisted]=false&filter[is_deleted]=true',
    ],
    ['customers list --no-is-blacklisted', '/customers?filter[is_blacklisted]=false'],
    ['customers list --has-orders false --name x', '/customers?filter[name]=x&filter[has_orders]=false'],
    ['transfer-orders list --status opened,5', '/transfer_orders?filter[status]=2,5'],
    [
      'customers list --updated-after 2026-11-20T08:00:00Z',
      '/customers?filter[updated_after]=2026-11-20%2008%3A00%3A00',
    ],
  ])('%s', async (line, expected) => {
    const ran = await boh(words(line));
    expect(ran.stderr).toBe(line.includes('get') ? ran.stderr : '');
    expect(targets()).toEqual([`GET ${expected}`]);
  });
});

describe('flags', () => {
  it.each([
    ['--is-blacklisted', true],
    ['--is-blacklisted=false', false],
    ['--no-is-blacklisted', false],
  ])('%s', async (flag, value) => {
    await boh(['customers', 'update', '5', flag]);
    expect(bodies()).toEqual([{ is_blacklisted: value }]);
  });

  it('take a separate word as the value of a boolean only when it is one', async () => {
    await boh(words('customers update --is-blacklisted false 5'));
    await boh(words('customers update --is-blacklisted 5'));
    expect(service.take()).toMatchObject([
      { target: '/customers/5', body: '{"is_blacklisted":false}' },
      { target: '/customers/5', body: '{"is_blacklisted":true}' },
    ]);
  });

  it('are not mistaken for values of others', async () => {
    await boh(['customers', 'update', '5', '--name', '--is-blacklisted', '--email', '-y']);
    await boh(['customers', 'update', '5', '--name=--sandbox']);
    expect(bodies()).toEqual([{ name: '--is-blacklisted', email: '-y' }, { name: '--sandbox' }]);
  });

  it('may be repeated, or hold a comma list, where they are lists', async () => {
    await boh(words('suppliers update 1 --tags a,b --tags c'));
    await boh(words('inventory-counts update 1 --items a=1,b=2.5 --items c=0'));
    await boh(
      words('users update 1 --notifications new_transfer_order --notifications new_pending_purchase_order'),
    );
    expect(bodies()).toEqual([
      { tags: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] },
      {
        items: [
          { id: 'a', quantity: 1 },
          { id: 'b', quantity: 2.5 },
          { id: 'c', quantity: 0 },
        ],
      },
      { notifications: ['new_transfer_order', 'new_pending_purchase_order'] },
    ]);
  });

  it('empty a list with an empty text', async () => {
    await boh(['suppliers', 'update', '1', '--tags', '']);
    expect(bodies()).toEqual([{ tags: [] }]);
  });

  it.each([
    ['--gender female', { gender: 2 }],
    ['--gender 2', { gender: 2 }],
    ['--gender FEMALE', { gender: 2 }],
    ['--clear email', { email: null }],
    ['--clear email,birth-date', { email: null, birth_date: null }],
    ['--dial-code 966', { dial_code: 966 }],
    ['--house-account-balance -2.5', { house_account_balance: -2.5 }],
  ])('customers update: %s', async (flags, body) => {
    await boh(['customers', 'update', '5', ...words(flags)]);
    expect(bodies()).toEqual([body]);
  });

  it('that are global may stand anywhere', async () => {
    const request = { method: 'POST', url: `${service.baseUrl}/v9/tags`, body: { name: 'A', type: 1 } };
    for (const line of [
      '--dry-run --api-prefix /v9 tags create --name A --type customer',
      'tags --dry-run create --api-prefix /v9 --name A --type customer',
      'tags create --name A --type customer --api-prefix=/v9 --dry-run',
    ]) {
      expect(JSON.parse((await boh(words(line))).stdout)).toEqual(request);
    }
    expect(targets()).toEqual([]);
  });
});

describe('--data', () => {
  it('is the whole body, with flags before it', async () => {
    await boh(['suppliers', 'update', '1', '--data', '{"name":"A","phone":"1"}', '--phone', '2']);
    expect(bodies()).toEqual([{ name: 'A', phone: '2' }]);
  });

  it('comes from a file or standard input', async () => {
    const file = join(folder, 'supplier.json');
    writeFileSync(file, '\uFEFF{"name":"From a file"}');
    await boh(['suppliers', 'create', '--data', `@${file}`]);
    await boh(['suppliers', 'create', '--data', '-'], { stdin: '{"name":"From a pipe"}' });
    expect(bodies()).toEqual([{ name: 'From a file' }, { name: 'From a pipe' }]);
  });

  it.each([
    ['{"name": "A",\n  "phone": }', 'line 2, column 12'],
    ['{"name": "A"', 'line 1, column 13'],
    ['', 'line 1, column 1'],
    ['{"name": "A",}', 'line 1, column 14'],
  ])('%j that is malformed points at the place', async (text, place) => {
    const ran = await boh(['suppliers', 'create', '--data', text]);
    expect(ran.exitCode).toBe(2);
    expect(failureOf(ran).message).toContain(place);
    expect(targets()).toEqual([]);
  });

  it('tells every violation at once', async () => {
    const body = { name: 5, email: null, tags: [{ ident: 1 }], nmae: 'x' };
    const ran = await boh(['suppliers', 'create', '--data', JSON.stringify(body)]);
    expect(ran.exitCode).toBe(2);
    expect(Object.keys(failureOf(ran).fields ?? {}).toSorted()).toEqual([
      'email',
      'name',
      'nmae',
      'tags.0.id',
      'tags.0.ident',
    ]);
    expect(targets()).toEqual([]);
  });

  it('goes out as it is with --unchecked', async () => {
    await boh(['suppliers', 'create', '--unchecked', '--data', '{"anything":1}']);
    expect(bodies()).toEqual([{ anything: 1 }]);
  });
});

describe('what is refused before anything is sent', () => {
  it.each([
    ['customers update 5 --birth-date 2024-02-30', 'birth_date'],
    ['customers update 5 --dial-code 1.5', 'dial_code'],
    ['payment-methods create --name A --type gift-card', 'type'],
    ['timed-events update 5 --type fixed-price --value -1', 'value'],
    ['timed-events update 5 --type price-reduction --value 0', 'value'],
    ['timed-events update 5 --type price-increase-by-percentage --value 100', 'value'],
    ['timed-events update 5 --type 8', 'type'],
    ['tags create --name A --type 8', 'type'],
    ['delivery-zones update 5 --coordinates [[1,2],[3,4],[5,6],[7,8]]', 'coordinates'],
    ['delivery-zones update 5 --coordinates [[1,2],[3,4],[1,2]]', 'coordinates'],
    ['delivery-zones update 5 --coordinates [[1,2],[3,99],[5,6],[1,2]]', 'coordinates'],
    ['addresses update 5 --latitude 91', 'latitude'],
    ['users update 5 --notifications nothing', 'notifications.0'],
    ['customers list --updated-after yesterday', 'updated_after'],
    ['customers list --sort name', 'sort'],
    ['customers list --include tags.name', 'include'],
  ])('%s', async (line, field) => {
    const ran = await boh(words(line));
    expect(ran.exitCode).toBe(2);
    expect(Object.keys(failureOf(ran).fields ?? {})).toEqual([field]);
    expect(targets()).toEqual([]);
  });

  it.each(['..', '.', '', 'a\nb', 'x'.repeat(2000)])('the id %j', async (id) => {
    expect((await boh(['customers', 'get', id])).exitCode).toBe(2);
    expect(targets()).toEqual([]);
  });

  it.each([
    ['../x', '/customers/..%2Fx'],
    ['a/b', '/customers/a%2Fb'],
    ['?x=1', '/customers/%3Fx%3D1'],
    ['%2f', '/customers/%252f'],
    ['#', '/customers/%23'],
  ])('the id %j can’t leave its place in the path', async (id, target) => {
    await boh(['customers', 'get', id]);
    expect(targets()).toEqual([`GET ${target}`]);
  });
});

describe('the signed-in user', () => {
  it('stands in for a creator that is not given', async () => {
    await boh(words('inventory-counts create --status draft --branch-id b --items i=1'));
    const [whoami, create] = service.take();
    expect(whoami?.target).toBe('/whoami');
    expect(JSON.parse(create?.body ?? '')).toEqual({
      status: 1,
      branch_id: 'b',
      creator_id: 'me',
      items: [{ id: 'i', quantity: 1 }],
    });
  });
});

describe('help', () => {
  it.each([
    ['help', 'Usage: boh [flags]'],
    ['help tags', 'Usage: boh tags <verb>'],
    ['help tags create', 'Usage: boh tags create'],
    ['tags', 'Usage: boh tags <verb>'],
    ['tags list -h', 'Usage: boh tags list'],
  ])('boh %s', async (line, usage) => {
    const ran = await boh(words(line));
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toContain(usage);
    expect(ran.stderr).toBe('');
  });

  it('says how a secret is given to whoever looks for its flag', async () => {
    expect(failureOf(await boh(words('users update 1 --pin 1234'))).hint).toContain('--ask pin');
  });
});

describe('deletes', () => {
  it('delete a record once, however often it is named', async () => {
    expect((await boh(words('tags delete 1 2 1 --yes'))).exitCode).toBe(0);
    expect(targets()).toEqual(['DELETE /tags/1', 'DELETE /tags/2']);
  });
});

describe('failures', () => {
  const lastLine = ({ stderr }: { stderr: string }) => stderr.trimEnd().split('\n').at(-1) ?? '';

  it.each([
    ['tags nonsense -o json', {}, true],
    ['tags nonsense -o table', {}, false],
    ['tags nonsense', { BOH_OUTPUT: 'ndjson' }, true],
    ['tags nonsense', { BOH_OUTPUT: 'csv' }, false],
    ['tags nonsense -o csv', { BOH_OUTPUT: 'json' }, false],
    ['tags nonsense', {}, true],
  ])('%s with %j end in JSON: %s', async (line, env, isJson) => {
    const ran = await boh(words(line), { env });
    expect(ran.exitCode).toBe(2);
    expect(lastLine(ran).startsWith('{"error":{')).toBe(isJson);
  });
});
