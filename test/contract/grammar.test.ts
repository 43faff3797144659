/** Checks the command-line grammar that scripts rely on: notations of flags, names of commands, positions. */
import { describe, expect, it } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { useRecorder } from '../harness/use-recorder.ts';

const { baseUrl, bodies, boh, requests, targets } = useRecorder();

describe('command name', () => {
  it.each([
    ['customer list', 'GET /customers'],
    ['customers ls', 'GET /customers'],
    ['inventory-categories list', 'GET /inventory_item_categories'],
    ['inventory-item-category get 7', 'GET /inventory_item_categories/7'],
    ['tax get 7', 'GET /taxes/7'],
    ['whoami', 'GET /whoami'],
  ])('boh %s: sends %s', async (line, expected) => {
    expect((await boh(line)).exitCode).toBe(0);
    expect(targets()).toEqual([expected]);
  });

  it.each([
    'addresses restore 1',
    'transfer-orders restore 1',
    'inventory-counts restore 1',
    'cost-adjustments restore 1',
    'loyalty-transactions create',
    'loyalty-rewards delete 1',
  ])('boh %s: is an unknown command', async (line) => {
    expect((await boh(line)).exitCode).toBe(2);
    expect(targets()).toEqual([]);
  });
});

describe('list flags', () => {
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
  ])('boh %s: requests %s', async (line, expected) => {
    const result = await boh(line);
    expect(result.stderr).toBe(line.includes('get') ? result.stderr : '');
    expect(targets()).toEqual([`GET ${expected}`]);
  });
});

it('--filter with an unknown name: is sent, with a note if a known name is similar', async () => {
  const result = await boh('customers list --filter nme=x');
  expect(result.stderr).toContain('Did you mean "name"?');
  expect(result.exitCode).toBe(0);
  expect(targets()).toEqual(['GET /customers?filter[nme]=x']);
});

describe('flag', () => {
  it.each([
    ['--is-blacklisted', true],
    ['--is-blacklisted=false', false],
    ['--no-is-blacklisted', false],
  ])('%s: sends %s', async (flag, value) => {
    await boh(['customers', 'update', '5', flag]);
    expect(bodies()).toEqual([{ is_blacklisted: value }]);
  });

  it('boolean: uses the next word as its value only if it is true or false', async () => {
    await boh('customers update --is-blacklisted false 5');
    await boh('customers update --is-blacklisted 5');
    expect(requests()).toMatchObject([
      { target: '/customers/5', body: '{"is_blacklisted":false}' },
      { target: '/customers/5', body: '{"is_blacklisted":true}' },
    ]);
  });

  it('with a value that looks like a flag: is sent unchanged', async () => {
    await boh(['customers', 'update', '5', '--name', '--is-blacklisted', '--email', '-y']);
    await boh(['customers', 'update', '5', '--name=--sandbox']);
    expect(bodies()).toEqual([{ name: '--is-blacklisted', email: '-y' }, { name: '--sandbox' }]);
  });

  it('of a list: can be repeated, or have values separated by commas', async () => {
    await boh('suppliers update 1 --tags a,b --tags c');
    await boh('inventory-counts update 1 --items a=1,b=2.5 --items c=0');
    await boh('users update 1 --notifications new_transfer_order --notifications new_pending_purchase_order');
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

  it('of a list: --clear empties the list, and an empty value is refused', async () => {
    await boh('suppliers update 1 --clear tags');
    expect(bodies()).toEqual([{ tags: [] }]);
    for (const flags of [['--tags', ''], ['--tags', 'a', '--tags='], ['--tags=,'], ['--add-tags', '']]) {
      const result = await boh(['suppliers', 'update', '1', ...flags]);
      expect(failureOf(result).fields).toEqual({ tags: [expect.stringContaining('is empty')] });
    }
    const refusedResult = await boh([
      'customers',
      'update',
      '1',
      '--name=',
      '--email',
      '',
      '--birth-date',
      '',
    ]);
    expect(failureOf(refusedResult).fields).toEqual({
      name: [expect.stringContaining(`--data '{"name":""}'`)],
      email: [expect.stringContaining('--clear email')],
      birth_date: [expect.stringContaining('--clear birth-date')],
    });
    expect(targets()).toEqual([]);
  });

  it.each([
    ['--gender female', { gender: 2 }],
    ['--gender 2', { gender: 2 }],
    ['--gender FEMALE', { gender: 2 }],
    ['--clear email', { email: null }],
    ['--clear email,birth-date', { email: null, birth_date: null }],
    ['--dial-code 966', { dial_code: 966 }],
    ['--house-account-balance -2.5', { house_account_balance: -2.5 }],
  ])('customers update %s: sends %j', async (flags, body) => {
    await boh(['customers', 'update', '5', ...flags.split(' ')]);
    expect(bodies()).toEqual([body]);
  });

  it('global: is accepted anywhere on the command line', async () => {
    const request = { method: 'POST', url: `${baseUrl()}/v9/tags`, body: { name: 'A', type: 1 } };
    for (const line of [
      '--dry-run --api-prefix /v9 tags create --name A --type customer',
      'tags --dry-run create --api-prefix /v9 --name A --type customer',
      'tags create --name A --type customer --api-prefix=/v9 --dry-run',
    ]) {
      expect(JSON.parse((await boh(line)).stdout)).toEqual(request);
    }
    expect(targets()).toEqual([]);
  });
});

describe('inventory-counts create', () => {
  it('without a creator: sends the signed-in user as the creator', async () => {
    await boh('inventory-counts create --status draft --branch-id b --items i=1');
    const [whoami, create] = requests();
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
  ])('boh %s: prints %s', async (line, usage) => {
    const result = await boh(line);
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toContain(usage);
    expect(result.stderr).toBe('');
  });

  it('flag for a secret: is refused, with a hint to use --ask', async () => {
    expect(failureOf(await boh('users update 1 --pin 1234')).hint).toContain('--ask pin');
  });
});

describe('tags delete', () => {
  it('with a repeated ID: deletes the record once', async () => {
    expect((await boh('tags delete 1 2 1 --yes')).exitCode).toBe(0);
    expect(targets()).toEqual(['DELETE /tags/1', 'DELETE /tags/2']);
  });
});
