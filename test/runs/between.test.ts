/** A run that waits for its hours: records that someone changes in that time are skipped, and the rest is sent. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Ledger } from '../../src/runs/ledger/ledger.ts';
import { type Service, service } from './carrying-out.ts';

const resource = 'inventory_item_categories';
const path = `/${resource}`;
const names = Array.from({ length: 12 }, (_, at) => `Kind ${String(at).padStart(2, '0')}`);

async function begun(): Promise<{ shop: Service; ledger: Ledger; change(at: number): void }> {
  const shop = await service();
  const open = () => {
    const folder = mkdtempSync(join(tmpdir(), 'boh-between-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
    const ledger = new Ledger(join(folder, 'run.sqlite'));
    onTestFinished(() => ledger.close());
    return ledger;
  };
  const first = open();
  const create = (name: string) => ({
    ...{ line: null, key: name, resource, state: 'planned' as const, action: 'create' as const },
    steps: [{ resource, verb: 'create', ids: [], body: { name } }],
  });
  first.add(names.map(create));
  const made = await shop.run(first);
  const ledger = open();
  ledger.add(
    made.map(({ id, key }, at) => ({
      ...{ line: at + 2, key, id, state: 'planned' as const, action: 'update' as const },
      steps: [
        {
          resource,
          verb: 'update',
          ids: [String(id)],
          body: { name: `${key} new` },
          known: { id, name: key },
        },
      ],
    })),
  );
  const change = (at: number) => shop.put(`${path}/${made[at]?.id}`, { name: `Another's ${at}` });
  return { shop, ledger, change };
}

const describeChange = () => 'by another user';

test('a run that waits before its first row: skips records that someone has changed in that time', async () => {
  const { shop, ledger, change } = await begun();
  let isClosed = true;
  const gate = async () => {
    if (!isClosed) return false;
    isClosed = false;
    change(3);
    return true;
  };
  const results = await shop.run(ledger, { gate, describeChange });
  expect(results.filter(({ outcome }) => outcome === 'failed')).toMatchObject([
    { line: 5, action: 'skip', error: { message: expect.stringContaining('by another user') } },
  ]);
  const expected = names.map((name, at) => (at === 3 ? "Another's 3" : `${name} new`));
  expect(shop.names(path)).toEqual(expected.sort());
});

test('a run that waits after some rows because its hours are over: skips records that someone has changed in that time', async () => {
  const { shop, ledger, change } = await begun();
  let asked = 0;
  const gate = async () => {
    if (++asked !== 6) return false;
    change(0);
    change(9);
    return true;
  };
  const results = await shop.run(ledger, { gate, describeChange, concurrency: 1 });
  expect(results.map(({ line }) => line).sort()).toHaveLength(12);
  expect(results.filter(({ outcome }) => outcome === 'failed')).toMatchObject([{ line: 11 }]);
  // The first record was updated by the run before, and was then changed by another user.
  const kept = new Map([
    [0, "Another's 0"],
    [9, "Another's 9"],
  ]);
  expect(shop.names(path)).toEqual(names.map((name, at) => kept.get(at) ?? `${name} new`).sort());
});

test('an error while a run waits ends the run and is reported', async () => {
  for (const turn of [1, 3]) {
    const { shop, ledger } = await begun();
    let asked = 0;
    const gate = async () => {
      if (++asked < turn) return false;
      // A run that took the error for a wait would never end.
      if (asked > 20) return new Promise<boolean>(() => {});
      throw new Error('The clock is gone.');
    };
    await expect(shop.run(ledger, { gate, describeChange })).rejects.toThrow('The clock is gone.');
  }
});
