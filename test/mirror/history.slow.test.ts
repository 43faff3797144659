import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { type MirrorPlace, openPlace } from './mirroring.ts';

const entries = (place: MirrorPlace) => place.sql('SELECT * FROM history_entries ORDER BY number');
const fields = (place: MirrorPlace) =>
  place.sql(
    'SELECT history_entry_id AS number, field, old_value AS old, new_value AS new FROM history_entries_fields ORDER BY id',
  );

/** Creates a mirror of a few resources, with its history. */
const synced = async (place: MirrorPlace, flags = '--history') => {
  const ran = await place.sync(`--resource tags ${flags}`);
  expect([ran.exitCode, ran.stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(ran.stdout).find(({ resource }: { resource: string }) => resource === 'history_entries');
};

function openOwn(): MirrorPlace {
  const place = openPlace();
  Object.assign(place.env, { BOH_HISTORY_BEFORE: 'on' });
  return place;
}

describe('the history in a mirror', () => {
  test('stores each write with user, time and command, and the old and new value of each field', async () => {
    const place = openOwn();
    await place.boh('inventory-items update @SKU-001 --cost 7.25 --category-id inventory-item-category-2');
    await place.boh('suppliers update supplier-1 --phone 1 --data {"tags":[]}');
    await place.boh('suppliers create --name Zed');
    await place.boh('suppliers update missing --phone 2');
    await place.boh('addresses delete address-huda-home --yes');
    await place.boh(
      'suppliers link-item supplier-1 inventory-item-1 --cost 5 --order-unit box --order-to-storage-factor 2',
    );
    expect(await synced(place)).toMatchObject({ read: 6, removed: 0, whole: true, error: null });
    const written = await place.json('history');
    const rows = entries(place);
    expect(rows.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
    for (const row of rows) {
      const entry = written.find(({ number }) => number === row.number);
      const {
        at,
        run,
        command: line,
        resource,
        verb,
        outcome,
        ids,
        user,
        business,
      } = entry as Record<string, unknown>;
      const [recordId = null, otherId = null] = ids as string[];
      expect(row).toMatchObject({
        at,
        run,
        line,
        resource,
        verb,
        outcome,
        user_name: user,
        business_name: business,
      });
      expect([row.record_id, row.other_id, row.is_forgotten]).toEqual([recordId, otherId, 0]);
    }
    expect(rows[3]).toMatchObject({ outcome: 'refused', error: expect.stringContaining('missing') });
    expect(fields(place)).toEqual(
      expect.arrayContaining([
        { number: '1', field: 'cost', old: '4.5', new: '7.25' },
        expect.objectContaining({ number: '1', field: 'category', new: 'inventory-item-category-2' }),
        expect.objectContaining({ number: '2', field: 'phone', new: '1' }),
        { number: '3', field: 'name', old: null, new: 'Zed' },
        { number: '5', field: 'customer', old: 'customer-1', new: null },
        {
          number: '6',
          field: 'items',
          old: expect.any(String),
          new: expect.stringContaining('"id":"inventory-item-1"'),
        },
      ]),
    );
  });

  test('adds new writes and later outcomes, also in syncs without the flag', async () => {
    const place = openOwn();
    await place.boh('suppliers update supplier-1 --phone 1');
    await place.boh('suppliers update supplier-1 --phone 2');
    await place.boh('history');
    const [file = ''] = journalsOf(place);
    const lost = takeOutcome(file, 2);
    expect(await synced(place)).toMatchObject({ read: 2, whole: true });
    expect(entries(place).map(({ outcome }) => outcome)).toEqual(['done', 'unknown']);
    lost.bringBack();
    await place.boh('suppliers update supplier-1 --phone 3');
    expect(await place.sync('')).toMatchObject({ exitCode: 0 });
    expect(entries(place).map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done']);
    expect(fields(place)).toHaveLength(3);
    expect(await synced(place)).toMatchObject({ read: 0, removed: 0, whole: false });
    expect(await synced(place, '--history --full')).toMatchObject({ read: 3, whole: true });
    expect(entries(place)).toHaveLength(3);
  });

  test('stores the name of the user once it is known', async () => {
    const place = openOwn();
    await place.boh('suppliers update supplier-1 --phone 1');
    await synced(place);
    expect(entries(place)[0]?.user_name).toBeNull();
    // A run asks who is signed in.
    await place.boh('suppliers update --where name=Fresh --phone 2 --yes');
    const [, first] = await place.json('history');
    expect(first).toMatchObject({ number: 1, user: expect.any(String) });
    await synced(place);
    expect(entries(place).map(({ user_name: name }) => name)).toEqual([first?.user, first?.user]);
    expect(await synced(place)).toMatchObject({ read: 0 });
  });

  test('deletes what the history forgets or deletes, also from the file', async () => {
    const place = openOwn();
    await place.boh('customers update customer-1 --phone 599111222');
    await place.boh('suppliers update supplier-1 --phone 1');
    await synced(place);
    expect(readFileSync(place.file).includes('599111222')).toBe(true);
    expect((await place.boh('history forget customers customer-1 --yes')).exitCode).toBe(0);
    expect(await synced(place)).toMatchObject({ read: 1, whole: false });
    expect(entries(place)[0]).toMatchObject({
      line: '(forgotten)',
      record_id: null,
      is_forgotten: 1,
      resource: 'customers',
    });
    expect(fields(place).map(({ number }) => number)).toEqual(['2']);
    for (const part of ['', '-wal']) expect(bytesOf(place.file + part).includes('599111222')).toBe(false);
    await place.boh('suppliers update supplier-1 --phone 2');
    await place.boh('history prune --max-size 1B --yes');
    expect(await synced(place)).toMatchObject({ removed: expect.any(Number) });
    expect(entries(place).map(({ number }) => number)).toEqual(
      (await place.json('history')).map(({ number }) => number).reverse(),
    );
  });

  test('stores no excluded or forgotten data, whenever it was excluded or forgotten, and no secret', async () => {
    const place = openOwn();
    await place.boh('customers update customer-1 --phone 599111222 --name Anna');
    await place.boh('customers update customer-2 --phone 599333444');
    await place.boh('users update user-1 --data {"pin":"59038271"}');
    await synced(place);
    expect(bytesOf(place.file).includes('59038271')).toBe(false);
    expect(fields(place).find(({ field }) => field === 'pin')).toMatchObject({ old: '••••', new: '••••' });
    await place.boh('mirror forget customers customer-2 --yes');
    expect(entries(place).map(({ number }) => number)).toEqual([1, 3]);
    await synced(place, '--history --exclude customers.phone');
    expect(entries(place).map(({ number, line }) => [number, line !== null])).toEqual([
      [1, false],
      [3, true],
    ]);
    expect(fields(place).map(({ field }) => field)).toEqual(['name', 'pin']);
    await place.boh('customers update customer-1 --phone 599111223');
    await place.boh('customers update customer-2 --phone 599333445');
    await synced(place, '');
    await place.sync('');
    expect(entries(place).map(({ number }) => number)).toEqual([1, 3, 4]);
    expect(fields(place).some(({ field }) => field === 'phone')).toBe(false);
    for (const part of ['', '-wal'])
      for (const text of ['599111222', '599111223', '599333444', '599333445'])
        expect([text, bytesOf(place.file + part).includes(text)]).toEqual([text, false]);
  });

  test('is in the status, is removed by --no-history, and is never replaced by that of another machine', async () => {
    const place = openOwn();
    await place.boh('suppliers update supplier-1 --phone 1');
    const names = async () => (await place.json('mirror status')).map(({ resource }) => resource);
    await place.sync('');
    expect(await names()).not.toContain('history_entries');
    expect(entries(place)).toEqual([]);
    await synced(place);
    expect(await place.json('mirror status')).toContainEqual({
      resource: 'history_entries',
      rows: 1,
      age: expect.any(Number),
      last_error: null,
    });
    for (const file of journalsOf(place))
      for (const part of ['', '-wal', '-shm']) rmSync(file + part, { force: true });
    await place.boh('suppliers update supplier-1 --phone 2');
    const other = await place.sync('');
    expect([other.exitCode, failureOf(other).message]).toEqual([
      9,
      expect.stringContaining('history entries'),
    ]);
    expect(other.stderr).toContain('is from another machine');
    expect(other.stderr).toContain('mirror sync --history --full');
    expect(fields(place)[0]?.new).toBe('1');
    expect((await place.json('mirror status')).at(-1)?.last_error).toContain('another machine');
    expect(await synced(place, '--history --full')).toMatchObject({ read: 1 });
    expect(fields(place)[0]?.new).toBe('2');
    // The log of the file could contain old data.
    for (const file of journalsOf(place))
      for (const part of ['', '-wal']) writeFileSync(file + part, 'no journal');
    const damaged = await place.sync('--resource tags --history');
    expect([damaged.exitCode, damaged.stderr]).toEqual([9, expect.stringContaining('The history')]);
    expect(fields(place)[0]?.new).toBe('2');
    await synced(place, '--no-history');
    expect(entries(place)).toEqual([]);
    await place.sync('');
    expect(await names()).not.toContain('history_entries');
  });
});

function journalsOf({ folder }: MirrorPlace): string[] {
  const history = join(folder, 'config', 'history');
  return readdirSync(history)
    .filter((name) => name.endsWith('.sqlite'))
    .map((name) => join(history, name));
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Removes the row of an outcome from a journal, and adds it again as the newest link: as if it had come later. */
function takeOutcome(file: string, number: number): { bringBack(): void } {
  const open = <T>(work: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(file);
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  const row = open((database) => {
    const found = database.prepare('SELECT * FROM outcomes WHERE number = ?').get(number);
    database.prepare('DELETE FROM outcomes WHERE number = ?').run(number);
    return found as Record<string, string | number>;
  });
  return {
    bringBack: () =>
      open((database) => {
        database.exec('UPDATE chain_end SET seq = seq + 1');
        const seq = Number(database.prepare('SELECT seq FROM chain_end').get()?.seq);
        const names = Object.keys(row);
        const values = Object.values({ ...row, seq });
        database.prepare(`INSERT INTO outcomes (${names}) VALUES (${names.map(() => '?')})`).run(...values);
      }),
  };
}
