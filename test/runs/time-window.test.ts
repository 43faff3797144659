/** Runs with --between: records that someone changes while the run waits are skipped, and the other rows are sent. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Ledger } from '../../src/engine/runs/ledger/ledger.ts';
import { type Service, startService } from './start-service.ts';

const resource = 'inventory_item_categories';
const path = `/${resource}`;
const names = Array.from({ length: 12 }, (_, index) => `Kind ${String(index).padStart(2, '0')}`);

async function openPlannedUpdates(): Promise<{ shop: Service; ledger: Ledger; change(index: number): void }> {
  const shop = await startService();
  const open = () => {
    const folder = mkdtempSync(join(tmpdir(), 'boh-between-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
    const ledger = new Ledger(join(folder, 'run.sqlite'));
    onTestFinished(() => ledger.close());
    return ledger;
  };
  const firstLedger = open();
  const create = (name: string) => ({
    ...{ line: null, key: name, resource, state: 'planned' as const, action: 'create' as const },
    steps: [{ resource, verb: 'create', ids: [], body: { name } }],
  });
  firstLedger.add(names.map(create));
  const created = await shop.run(firstLedger);
  const ledger = open();
  ledger.add(
    created.map(({ id, key }, index) => ({
      ...{ line: index + 2, key, id, state: 'planned' as const, action: 'update' as const },
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
  const change = (index: number) => shop.put(`${path}/${created[index]?.id}`, { name: `Another's ${index}` });
  return { shop, ledger, change };
}

const describeChange = () => 'by another user';

test('a run that waits before its first row: skips records that changed meanwhile', async () => {
  const { shop, ledger, change } = await openPlannedUpdates();
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
  const expected = names.map((name, index) => (index === 3 ? "Another's 3" : `${name} new`));
  expect(shop.names(path)).toEqual(expected.sort());
});

test('a run that pauses when its time window ends: skips records that changed meanwhile', async () => {
  const { shop, ledger, change } = await openPlannedUpdates();
  let gateCalls = 0;
  const gate = async () => {
    if (++gateCalls !== 6) return false;
    change(0);
    change(9);
    return true;
  };
  const results = await shop.run(ledger, { gate, describeChange, concurrency: 1 });
  expect(results.map(({ line }) => line).sort()).toHaveLength(12);
  expect(results.filter(({ outcome }) => outcome === 'failed')).toMatchObject([{ line: 11 }]);
  // The first record was updated by the run before, and was then changed by another user.
  const changedNames = new Map([
    [0, "Another's 0"],
    [9, "Another's 9"],
  ]);
  expect(shop.names(path)).toEqual(
    names.map((name, index) => changedNames.get(index) ?? `${name} new`).sort(),
  );
});

test('an error while a run waits ends the run and is reported', async () => {
  for (const failingCall of [1, 3]) {
    const { shop, ledger } = await openPlannedUpdates();
    let gateCalls = 0;
    const gate = async () => {
      if (++gateCalls < failingCall) return false;
      // If the run treated the error as a wait, it would never end.
      if (gateCalls > 20) return new Promise<boolean>(() => {});
      throw new Error('The clock is gone.');
    };
    await expect(shop.run(ledger, { gate, describeChange })).rejects.toThrow('The clock is gone.');
  }
});
