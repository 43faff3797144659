import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { type MirrorWorkspace, openWorkspace } from './workspace.ts';

const entries = (workspace: MirrorWorkspace) =>
  workspace.sql('SELECT * FROM history_entries ORDER BY number');
const fields = (workspace: MirrorWorkspace) =>
  workspace.sql(
    'SELECT history_entry_id AS number, field, old_value AS old, new_value AS new FROM history_entries_fields ORDER BY id',
  );

/** Syncs a mirror of one resource with its history, and returns the result for the history. */
const syncHistory = async (workspace: MirrorWorkspace, flags = '--history') => {
  const result = await workspace.sync(`--resource tags ${flags}`);
  expect([result.exitCode, result.stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(result.stdout).find(
    ({ resource }: { resource: string }) => resource === 'history_entries',
  );
};

function openHistoryWorkspace(): MirrorWorkspace {
  const workspace = openWorkspace();
  Object.assign(workspace.env, { BOH_HISTORY_BEFORE: 'on' });
  return workspace;
}

describe('the history in a mirror', () => {
  test('contains each write with user, time and command, and the old and new value of each field', async () => {
    const workspace = openHistoryWorkspace();
    await workspace.boh(
      'inventory-items update @SKU-001 --cost 7.25 --category-id inventory-item-category-2',
    );
    await workspace.boh('suppliers update supplier-1 --phone 1 --data {"tags":[]}');
    await workspace.boh('suppliers create --name Zed');
    await workspace.boh('suppliers update missing --phone 2');
    await workspace.boh('addresses delete address-huda-home --yes');
    await workspace.boh(
      'suppliers link-item supplier-1 inventory-item-1 --cost 5 --order-unit box --order-to-storage-factor 2',
    );
    expect(await syncHistory(workspace)).toMatchObject({ read: 6, removed: 0, complete: true, error: null });
    const history = await workspace.json('history');
    const rows = entries(workspace);
    expect(rows.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
    for (const row of rows) {
      const entry = history.find(({ number }) => number === row.number);
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
    expect(fields(workspace)).toEqual(
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

  test('gets new writes and later outcomes, also in syncs without --history', async () => {
    const workspace = openHistoryWorkspace();
    await workspace.boh('suppliers update supplier-1 --phone 1');
    await workspace.boh('suppliers update supplier-1 --phone 2');
    await workspace.boh('history');
    const [file = ''] = journalsOf(workspace);
    const removedOutcome = removeOutcome(file, 2);
    expect(await syncHistory(workspace)).toMatchObject({ read: 2, complete: true });
    expect(entries(workspace).map(({ outcome }) => outcome)).toEqual(['done', 'unknown']);
    removedOutcome.restore();
    await workspace.boh('suppliers update supplier-1 --phone 3');
    expect(await workspace.sync('')).toMatchObject({ exitCode: 0 });
    expect(entries(workspace).map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done']);
    expect(fields(workspace)).toHaveLength(3);
    expect(await syncHistory(workspace)).toMatchObject({ read: 0, removed: 0, complete: false });
    expect(await syncHistory(workspace, '--history --full')).toMatchObject({ read: 3, complete: true });
    expect(entries(workspace)).toHaveLength(3);
  });

  test('loses forgotten and deleted entries, also in the bytes of the file', async () => {
    const workspace = openHistoryWorkspace();
    await workspace.boh('customers update customer-1 --phone 599111222');
    await workspace.boh('suppliers update supplier-1 --phone 1');
    await syncHistory(workspace);
    expect(readFileSync(workspace.file).includes('599111222')).toBe(true);
    expect((await workspace.boh('history forget customers customer-1 --yes')).exitCode).toBe(0);
    expect(await syncHistory(workspace)).toMatchObject({ read: 1, complete: false });
    expect(entries(workspace)[0]).toMatchObject({
      line: '(forgotten)',
      record_id: null,
      is_forgotten: 1,
      resource: 'customers',
    });
    expect(fields(workspace).map(({ number }) => number)).toEqual(['2']);
    for (const part of ['', '-wal'])
      expect(readBytes(workspace.file + part).includes('599111222')).toBe(false);
    await workspace.boh('suppliers update supplier-1 --phone 2');
    await workspace.boh('history prune --max-size 1B --yes');
    expect(await syncHistory(workspace)).toMatchObject({ removed: expect.any(Number) });
    expect(entries(workspace).map(({ number }) => number)).toEqual(
      (await workspace.json('history')).map(({ number }) => number).reverse(),
    );
  });

  test('contains no excluded fields, forgotten records or secrets', async () => {
    const workspace = openHistoryWorkspace();
    await workspace.boh('customers update customer-1 --phone 599111222 --name Anna');
    await workspace.boh('customers update customer-2 --phone 599333444');
    await workspace.boh('users update user-1 --data {"pin":"59038271"}');
    await syncHistory(workspace);
    expect(readBytes(workspace.file).includes('59038271')).toBe(false);
    expect(fields(workspace).find(({ field }) => field === 'pin')).toMatchObject({
      old: '••••',
      new: '••••',
    });
    await workspace.boh('mirror forget customers customer-2 --yes');
    expect(entries(workspace).map(({ number }) => number)).toEqual([1, 3]);
    await syncHistory(workspace, '--history --exclude customers.phone');
    expect(entries(workspace).map(({ number, line }) => [number, line !== null])).toEqual([
      [1, false],
      [3, true],
    ]);
    expect(fields(workspace).map(({ field }) => field)).toEqual(['name', 'pin']);
    await workspace.boh('customers update customer-1 --phone 599111223');
    await workspace.boh('customers update customer-2 --phone 599333445');
    await syncHistory(workspace, '');
    await workspace.sync('');
    expect(entries(workspace).map(({ number }) => number)).toEqual([1, 3, 4]);
    expect(fields(workspace).some(({ field }) => field === 'phone')).toBe(false);
    for (const part of ['', '-wal'])
      for (const text of ['599111222', '599111223', '599333444', '599333445'])
        expect([text, readBytes(workspace.file + part).includes(text)]).toEqual([text, false]);
  });

  test("is in the status, is removed by --no-history, and isn't replaced with that of another machine without --full", async () => {
    const workspace = openHistoryWorkspace();
    await workspace.boh('suppliers update supplier-1 --phone 1');
    const names = async () => (await workspace.json('mirror status')).map(({ resource }) => resource);
    await workspace.sync('');
    expect(await names()).not.toContain('history_entries');
    expect(entries(workspace)).toEqual([]);
    await syncHistory(workspace);
    expect(await workspace.json('mirror status')).toContainEqual({
      resource: 'history_entries',
      rows: 1,
      age: expect.any(Number),
      last_error: null,
      synced_at: expect.any(String),
    });
    for (const file of journalsOf(workspace))
      for (const part of ['', '-wal', '-shm']) rmSync(file + part, { force: true });
    await workspace.boh('suppliers update supplier-1 --phone 2');
    const otherHistory = await workspace.sync('');
    expect([otherHistory.exitCode, failureOf(otherHistory).message]).toEqual([
      9,
      expect.stringContaining('history entries'),
    ]);
    expect(otherHistory.stderr).toContain('is from another machine');
    expect(otherHistory.stderr).toContain('mirror sync --history --full');
    expect(fields(workspace)[0]?.new).toBe('1');
    expect((await workspace.json('mirror status')).at(-1)?.last_error).toContain('another machine');
    expect(await syncHistory(workspace, '--history --full')).toMatchObject({ read: 1 });
    expect(fields(workspace)[0]?.new).toBe('2');
    // The write-ahead log is overwritten too, because it could contain old data.
    for (const file of journalsOf(workspace))
      for (const part of ['', '-wal']) writeFileSync(file + part, 'not a journal');
    const damagedResult = await workspace.sync('--resource tags --history');
    expect([damagedResult.exitCode, damagedResult.stderr]).toEqual([
      9,
      expect.stringContaining('The history'),
    ]);
    expect(fields(workspace)[0]?.new).toBe('2');
    await syncHistory(workspace, '--no-history');
    expect(entries(workspace)).toEqual([]);
    await workspace.sync('');
    expect(await names()).not.toContain('history_entries');
  });
});

function journalsOf({ folder }: MirrorWorkspace): string[] {
  return globSync(join(folder, 'config', 'accounts', '*', 'history.sqlite'));
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Removes the row of an outcome from a journal. `restore` adds it again at the newest position, like a later outcome. */
function removeOutcome(file: string, number: number): { restore(): void } {
  const withDatabase = <T>(work: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(file);
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  const row = withDatabase((database) => {
    const outcome = database.prepare('SELECT * FROM outcomes WHERE number = ?').get(number);
    database.prepare('DELETE FROM outcomes WHERE number = ?').run(number);
    return outcome as Record<string, string | number>;
  });
  return {
    restore: () =>
      withDatabase((database) => {
        const { place: _, ...cells } = row;
        const [names, values] = [Object.keys(cells), Object.values(cells)];
        database.prepare(`INSERT INTO outcomes (${names}) VALUES (${names.map(() => '?')})`).run(...values);
      }),
  };
}
