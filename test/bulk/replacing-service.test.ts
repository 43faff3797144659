/**
 * Runs over many records at a service whose PUT replaces whole records: the first update shows it, and no other record
 * is harmed.
 */
import { describe, expect, test } from 'vitest';
import { newPlace } from '../history/boh-in-sandbox.ts';
import { openPlace, type Place } from './importing.ts';

interface Customer {
  id: string;
  email: string | null;
  birth_date: string | null;
}

async function replacing(): Promise<{ place: Place; customers: Customer[] }> {
  const place = openPlace();
  await place.boh('sandbox settings set wire.put=replace');
  return { place, customers: await place.json<Customer[]>('customers list --all') };
}

const readAgain = (place: Place) => place.json<Customer[]>('customers list --all');

/** Returns the records that have changed, apart from the intended changes. */
function harmed(before: readonly Customer[], after: readonly Customer[]): string[] {
  const now = new Map(after.map((one) => [one.id, one]));
  return before
    .filter(({ id, email, birth_date: born }) => {
      const found = now.get(id);
      return found?.email !== email || found?.birth_date !== born;
    })
    .map(({ id }) => id);
}

function sheet(customers: readonly Customer[]): string {
  return `id,name\n${customers.map(({ id }, at) => `${id},Number ${at}\n`).join('')}`;
}

test('import: stops at the first update that clears fields that were not sent, and says how to restore them', async () => {
  const { place, customers } = await replacing();
  const ran = await place.import('names.csv', sheet(customers), 'customers --yes --concurrency 8');
  expect(ran.exitCode).toBe(9);
  expect(ran.rows.map(({ outcome }) => outcome)).toEqual(['done']);
  const first = ran.rows[0]?.id as string;
  expect(ran.stderr).toMatch(
    new RegExp(
      `update of customer ${first} succeeded, but emptied .*birth_date, .*: this service replaces the whole record`,
    ),
  );
  expect(ran.stderr).toContain('1 updated, 199 not sent.');
  expect(harmed(customers, await readAgain(place))).toEqual([first]);
  const [, data = ''] = / --data '(.*)'$/m.exec(ran.stderr) ?? [];
  const back = await place.boh(`customers update ${first} --data -`, data);
  expect([back.exitCode, back.stderr]).toEqual([0, expect.any(String)]);
  expect(harmed(customers, await readAgain(place))).toEqual([]);
  const [entry] = await place
    .json<{ before: Customer }[]>('history --limit 2 -o json')
    .then((all) => all.slice(-1));
  expect(entry?.before).toMatchObject({ email: customers.find(({ id }) => id === first)?.email });
});

test('runs resume: stops at the first update, too', async () => {
  const { place, customers } = await replacing();
  await place.import('names.csv', sheet(customers), 'customers --yes');
  const [{ id: run }] = await place.json<[{ id: string }]>('runs list');
  const again = await place.boh(`runs resume ${run} --yes`);
  expect(again.exitCode).toBe(9);
  expect(harmed(customers, await readAgain(place))).toHaveLength(2);
});

describe('at a service that replaces records, the first update stops', () => {
  test.each([
    [
      'changes of what filters choose',
      'customers update --where name=a --is-blacklisted true --yes -o ndjson',
    ],
    ['several records by their ids', 'customers update $IDS --is-blacklisted true --yes -o ndjson'],
  ])('%s', async (_, line) => {
    const { place, customers } = await replacing();
    const ids = customers.slice(0, 5).map(({ id }) => id);
    const ran = await place.boh(line.replace('$IDS', ids.join(' ')));
    expect([ran.exitCode, ran.stderr]).toEqual([
      9,
      expect.stringMatching(
        /succeeded, but emptied name, .* were not attempted|succeeded, but emptied name, .* are left/,
      ),
    ]);
    expect(harmed(customers, await readAgain(place))).toHaveLength(1);
  });
});

test('update of one record that was read before: reports that it is done and has cleared fields', async () => {
  const place = newPlace();
  await place.boh('sandbox', 'settings', 'set', 'wire.put=replace');
  const ran = await place.boh('customers', 'update', 'customer-1', '--is-blacklisted', '-o', 'json');
  expect(ran.exitCode).toBe(9);
  expect(JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
    error: { category: 'partial', outcome: 'done', hint: expect.stringContaining('To restore') },
  });
});

test('api request: answers as usual, and also reports the fields that it has cleared', async () => {
  const place = newPlace();
  await place.boh('sandbox', 'settings', 'set', 'wire.put=replace');
  const before = (await place.json('customers', 'get', 'customer-1')) as Customer & { dial_code: string };
  const request = ['api', 'PUT', '/customers/customer-1', '--data', '{"is_blacklisted":true}'];
  const ran = await place.boh(...request);
  expect(ran.exitCode).toBe(0);
  expect(JSON.parse(ran.stdout).data).toMatchObject({ id: 'customer-1', birth_date: null });
  expect(ran.stderr).toMatch(
    /warning: The update of customer customer-1 succeeded, but emptied .*birth_date/,
  );
  const [, data = ''] = / --data '(.*)'$/m.exec(ran.stderr) ?? [];
  expect((await place.boh('customers', 'update', 'customer-1', '--data', data)).exitCode).toBe(0);
  expect(await place.json('customers', 'get', 'customer-1')).toMatchObject({ birth_date: before.birth_date });
  const unread = await place.bohWith({ BOH_HISTORY_BEFORE: 'off' }, ...request);
  expect(unread).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('was carried out, but') });
});

test('import at a service that merges: needs one more read, however many rows there are', async () => {
  const place = openPlace();
  const customers = await place.json<Customer[]>('customers list --all');
  const ran = await place.import('names.csv', sheet(customers), 'customers --yes --verbose');
  expect([ran.exitCode, ran.rows.length]).toEqual([0, customers.length]);
  expect(ran.stderr.match(/GET \/customers\/\w+/g)).toHaveLength(1);
  expect(harmed(customers, await readAgain(place))).toEqual([]);
});
